#!/usr/bin/env python3
"""isl reads the schedules that tilia writes, and the other way round.

usage: isl-text.py TREES MAPS        trees of --emit=schedule and union maps of --emit=schedule-map say the same
       isl-text.py --rewrite TREES   the trees as isl prints them, for --schedule-in
"""

import sys

import islpy as isl


def documents(path):
    """(name, text) of each `# scop NAME` document."""
    found = []
    for line in open(path):
        if line.startswith("# scop "):
            found.append((line[7:].strip(), []))
        elif found:
            found[-1][1].append(line)
    return [(name, "".join(lines)) for name, lines in found]


def order(dates):
    """Which instances run before which."""
    return dates.lex_lt_union_map(dates)


def main():
    if sys.argv[1] == "--rewrite":
        for name, text in documents(sys.argv[2]):
            printer = isl.Printer.to_str(isl.DEFAULT_CONTEXT).set_yaml_style(isl.yaml_style.BLOCK)
            print(f"# scop {name}")
            print(printer.print_schedule(isl.Schedule(text)).get_str())
        return 0
    trees, maps = documents(sys.argv[1]), documents(sys.argv[2])
    if [name for name, _ in trees] != [name for name, _ in maps]:
        print("not the same scops")
        return 1
    for (name, text), (_, dates) in zip(trees, maps):
        schedule = isl.Schedule(text)
        theirs = schedule.get_map().intersect_domain(schedule.get_domain())
        ours = isl.UnionMap(dates)
        if not ours.domain().is_equal(schedule.get_domain()):
            print(f"{name}: not the same instances")
            return 1
        if not order(theirs).is_equal(order(ours)):
            print(f"{name}: not the same order")
            return 1
        print(f"{name}: the same")
    return 0


sys.exit(main())

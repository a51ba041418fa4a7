// Expected diagnostics are checked in place.
// RUN: %tilia opt --verify-diagnostics --split-input-file %s -o /dev/null
// A diagnostic that wasn't expected, or one that didn't come, is an error.
// RUN: sed 's/{{step}}/{{stride}}/' %s > %t.mlir
// RUN: not %tilia opt --verify-diagnostics --split-input-file %t.mlir -o /dev/null

func.func @undefined(%a: memref<8xf64>) {
  // expected-error@+1 {{use of undeclared SSA value name}}
  %v = affine.load %a[%i] : memref<8xf64>
  return
}

// -----

func.func @step(%a: memref<8xf64>) {
  // expected-error@+1 {{step}}
  affine.for %i = 0 to 8 step 0 {
  }
  return
}

// The scalar printers of MLIR's C runner utilities.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt
// RUN: FileCheck %s < %t.tilia

func.func private @printF64(f64)
func.func private @printF32(f32)
func.func private @printI64(i64)
func.func private @printU64(i64)
func.func private @printNewline()
func.func private @printComma()
func.func private @printOpen()
func.func private @printClose()

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 0.1 : f64
  %y = arith.constant -1.5e-7 : f32
  %m = arith.constant -3 : i64
  // CHECK: ( 0.1, -1.5e-07, -3, 18446744073709551613 )
  call @printOpen() : () -> ()
  call @printF64(%x) : (f64) -> ()
  call @printComma() : () -> ()
  call @printF32(%y) : (f32) -> ()
  call @printComma() : () -> ()
  call @printI64(%m) : (i64) -> ()
  call @printComma() : () -> ()
  call @printU64(%m) : (i64) -> ()
  call @printClose() : () -> ()
  call @printNewline() : () -> ()
  // Printing in a loop stays in order.
  // CHECK-NEXT: 0
  // CHECK-NEXT: 1
  // CHECK-NEXT: 2
  scf.for %i = %c0 to %c3 step %c1 {
    %v = arith.index_cast %i : index to i64
    func.call @printI64(%v) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}

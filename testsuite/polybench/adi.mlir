// adi: Alternating direction implicit solver of a 2-D heat equation: column sweep, then row sweep.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.
// Loops that count down in C count up here, with the subscript turned round.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%tsteps: index, %n: index, %u: memref<?x?xf64>, %v: memref<?x?xf64>, %p: memref<?x?xf64>,
                %q: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // u[i][j] = (DATA_TYPE)(i + n - j) / n;
      %0 = arith.addi %i, %n : index
      %1 = arith.subi %0, %j : index
      %2 = arith.index_cast %1 : index to i64
      %3 = arith.sitofp %2 : i64 to f64
      %4 = arith.index_cast %n : index to i64
      %5 = arith.sitofp %4 : i64 to f64
      %6 = arith.divf %3, %5 : f64
      affine.store %6, %u[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%tsteps: index, %n: index, %u: memref<?x?xf64>, %v: memref<?x?xf64>, %p: memref<?x?xf64>,
                  %q: memref<?x?xf64>) {
  %f1 = arith.constant 1.0 : f64
  %f2 = arith.constant 2.0 : f64
  %f0 = arith.constant 0.0 : f64
  %DX = memref.alloca() : memref<f64>
  %DY = memref.alloca() : memref<f64>
  %DT = memref.alloca() : memref<f64>
  %B1 = memref.alloca() : memref<f64>
  %B2 = memref.alloca() : memref<f64>
  %mul1 = memref.alloca() : memref<f64>
  %mul2 = memref.alloca() : memref<f64>
  %a = memref.alloca() : memref<f64>
  %b = memref.alloca() : memref<f64>
  %c = memref.alloca() : memref<f64>
  %d = memref.alloca() : memref<f64>
  %e = memref.alloca() : memref<f64>
  %f = memref.alloca() : memref<f64>
  // DX = 1.0 / (DATA_TYPE)n;
  %0 = arith.index_cast %n : index to i64
  %1 = arith.sitofp %0 : i64 to f64
  %2 = arith.divf %f1, %1 : f64
  affine.store %2, %DX[] : memref<f64>
  // DY = 1.0 / (DATA_TYPE)n;
  %3 = arith.index_cast %n : index to i64
  %4 = arith.sitofp %3 : i64 to f64
  %5 = arith.divf %f1, %4 : f64
  affine.store %5, %DY[] : memref<f64>
  // DT = 1.0 / (DATA_TYPE)tsteps;
  %6 = arith.index_cast %tsteps : index to i64
  %7 = arith.sitofp %6 : i64 to f64
  %8 = arith.divf %f1, %7 : f64
  affine.store %8, %DT[] : memref<f64>
  // B1 = 2.0;
  affine.store %f2, %B1[] : memref<f64>
  // B2 = 1.0;
  affine.store %f1, %B2[] : memref<f64>
  // mul1 = B1 * DT / (DX * DX);
  %9 = affine.load %B1[] : memref<f64>
  %10 = affine.load %DT[] : memref<f64>
  %11 = arith.mulf %9, %10 : f64
  %12 = affine.load %DX[] : memref<f64>
  %13 = arith.mulf %12, %12 : f64
  %14 = arith.divf %11, %13 : f64
  affine.store %14, %mul1[] : memref<f64>
  // mul2 = B2 * DT / (DY * DY);
  %15 = affine.load %B2[] : memref<f64>
  %16 = affine.load %DT[] : memref<f64>
  %17 = arith.mulf %15, %16 : f64
  %18 = affine.load %DY[] : memref<f64>
  %19 = arith.mulf %18, %18 : f64
  %20 = arith.divf %17, %19 : f64
  affine.store %20, %mul2[] : memref<f64>
  // a = -mul1 / 2.0;
  %21 = affine.load %mul1[] : memref<f64>
  %22 = arith.negf %21 : f64
  %23 = arith.divf %22, %f2 : f64
  affine.store %23, %a[] : memref<f64>
  // b = 1.0 + mul1;
  %24 = affine.load %mul1[] : memref<f64>
  %25 = arith.addf %f1, %24 : f64
  affine.store %25, %b[] : memref<f64>
  // c = a;
  %26 = affine.load %a[] : memref<f64>
  affine.store %26, %c[] : memref<f64>
  // d = -mul2 / 2.0;
  %27 = affine.load %mul2[] : memref<f64>
  %28 = arith.negf %27 : f64
  %29 = arith.divf %28, %f2 : f64
  affine.store %29, %d[] : memref<f64>
  // e = 1.0 + mul2;
  %30 = affine.load %mul2[] : memref<f64>
  %31 = arith.addf %f1, %30 : f64
  affine.store %31, %e[] : memref<f64>
  // f = d;
  %32 = affine.load %d[] : memref<f64>
  affine.store %32, %f[] : memref<f64>
  affine.for %t = 1 to affine_map<()[s0] -> (s0 + 1)>()[%tsteps] {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      // v[0][i] = 1.0;
      affine.store %f1, %v[0, %i] : memref<?x?xf64>
      // p[i][0] = 0.0;
      affine.store %f0, %p[%i, 0] : memref<?x?xf64>
      // q[i][0] = v[0][i];
      %33 = affine.load %v[0, %i] : memref<?x?xf64>
      affine.store %33, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        // p[i][j] = -c / (a * p[i][j - 1] + b);
        %34 = affine.load %c[] : memref<f64>
        %35 = arith.negf %34 : f64
        %36 = affine.load %a[] : memref<f64>
        %37 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %38 = arith.mulf %36, %37 : f64
        %39 = affine.load %b[] : memref<f64>
        %40 = arith.addf %38, %39 : f64
        %41 = arith.divf %35, %40 : f64
        affine.store %41, %p[%i, %j] : memref<?x?xf64>
        // q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
        %42 = affine.load %d[] : memref<f64>
        %43 = arith.negf %42 : f64
        %44 = affine.load %u[%j, %i - 1] : memref<?x?xf64>
        %45 = arith.mulf %43, %44 : f64
        %46 = arith.mulf %f2, %42 : f64
        %47 = arith.addf %f1, %46 : f64
        %48 = affine.load %u[%j, %i] : memref<?x?xf64>
        %49 = arith.mulf %47, %48 : f64
        %50 = arith.addf %45, %49 : f64
        %51 = affine.load %f[] : memref<f64>
        %52 = affine.load %u[%j, %i + 1] : memref<?x?xf64>
        %53 = arith.mulf %51, %52 : f64
        %54 = arith.subf %50, %53 : f64
        %55 = affine.load %a[] : memref<f64>
        %56 = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %57 = arith.mulf %55, %56 : f64
        %58 = arith.subf %54, %57 : f64
        %59 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %60 = arith.mulf %55, %59 : f64
        %61 = affine.load %b[] : memref<f64>
        %62 = arith.addf %60, %61 : f64
        %63 = arith.divf %58, %62 : f64
        affine.store %63, %q[%i, %j] : memref<?x?xf64>
      }
      // v[n - 1][i] = 1.0;
      affine.store %f1, %v[symbol(%n) - 1, %i] : memref<?x?xf64>
      // for (j = n - 2; j >= 1; j--)
      affine.for %jr = 0 to affine_map<()[s0] -> (s0 - 2)>()[%n] {
        // v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        %64 = affine.load %p[%i, symbol(%n) - %jr - 2] : memref<?x?xf64>
        %65 = affine.load %v[symbol(%n) - %jr - 1, %i] : memref<?x?xf64>
        %66 = arith.mulf %64, %65 : f64
        %67 = affine.load %q[%i, symbol(%n) - %jr - 2] : memref<?x?xf64>
        %68 = arith.addf %66, %67 : f64
        affine.store %68, %v[symbol(%n) - %jr - 2, %i] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      // u[i][0] = 1.0;
      affine.store %f1, %u[%i, 0] : memref<?x?xf64>
      // p[i][0] = 0.0;
      affine.store %f0, %p[%i, 0] : memref<?x?xf64>
      // q[i][0] = u[i][0];
      %69 = affine.load %u[%i, 0] : memref<?x?xf64>
      affine.store %69, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        // p[i][j] = -f / (d * p[i][j - 1] + e);
        %70 = affine.load %f[] : memref<f64>
        %71 = arith.negf %70 : f64
        %72 = affine.load %d[] : memref<f64>
        %73 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %74 = arith.mulf %72, %73 : f64
        %75 = affine.load %e[] : memref<f64>
        %76 = arith.addf %74, %75 : f64
        %77 = arith.divf %71, %76 : f64
        affine.store %77, %p[%i, %j] : memref<?x?xf64>
        // q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) / (d * p[i][j - 1] + e);
        %78 = affine.load %a[] : memref<f64>
        %79 = arith.negf %78 : f64
        %80 = affine.load %v[%i - 1, %j] : memref<?x?xf64>
        %81 = arith.mulf %79, %80 : f64
        %82 = arith.mulf %f2, %78 : f64
        %83 = arith.addf %f1, %82 : f64
        %84 = affine.load %v[%i, %j] : memref<?x?xf64>
        %85 = arith.mulf %83, %84 : f64
        %86 = arith.addf %81, %85 : f64
        %87 = affine.load %c[] : memref<f64>
        %88 = affine.load %v[%i + 1, %j] : memref<?x?xf64>
        %89 = arith.mulf %87, %88 : f64
        %90 = arith.subf %86, %89 : f64
        %91 = affine.load %d[] : memref<f64>
        %92 = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %93 = arith.mulf %91, %92 : f64
        %94 = arith.subf %90, %93 : f64
        %95 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %96 = arith.mulf %91, %95 : f64
        %97 = affine.load %e[] : memref<f64>
        %98 = arith.addf %96, %97 : f64
        %99 = arith.divf %94, %98 : f64
        affine.store %99, %q[%i, %j] : memref<?x?xf64>
      }
      // u[i][n - 1] = 1.0;
      affine.store %f1, %u[%i, symbol(%n) - 1] : memref<?x?xf64>
      // for (j = n - 2; j >= 1; j--)
      affine.for %jr = 0 to affine_map<()[s0] -> (s0 - 2)>()[%n] {
        // u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        %100 = affine.load %p[%i, symbol(%n) - %jr - 2] : memref<?x?xf64>
        %101 = affine.load %u[%i, symbol(%n) - %jr - 1] : memref<?x?xf64>
        %102 = arith.mulf %100, %101 : f64
        %103 = affine.load %q[%i, symbol(%n) - %jr - 2] : memref<?x?xf64>
        %104 = arith.addf %102, %103 : f64
        affine.store %104, %u[%i, symbol(%n) - %jr - 2] : memref<?x?xf64>
      }
    }
  }
  return
}

// deriche: Recursive edge detection filter (Deriche), in double precision.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.
// Loops that count down in C count up here, with the subscript turned round.
// The chained assignments of the coefficients (a1 = a5 = ..) are one statement for each target.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%w: index, %h: index, %alpha: memref<f64>, %imgIn: memref<?x?xf64>, %imgOut: memref<?x?xf64>,
                %y1: memref<?x?xf64>, %y2: memref<?x?xf64>) {
  %f0_25 = arith.constant 0.25 : f64
  %c313 = arith.constant 313 : index
  %c991 = arith.constant 991 : index
  %c65536 = arith.constant 65536 : index
  %f65535 = arith.constant 65535.0 : f64
  // alpha = 0.25;
  affine.store %f0_25, %alpha[] : memref<f64>
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      // imgIn[i][j] = (DATA_TYPE)((313 * i + 991 * j) % 65536) / 65535.0f;
      %0 = arith.muli %c313, %i : index
      %1 = arith.muli %c991, %j : index
      %2 = arith.addi %0, %1 : index
      %3 = arith.remsi %2, %c65536 : index
      %4 = arith.index_cast %3 : index to i64
      %5 = arith.sitofp %4 : i64 to f64
      %6 = arith.divf %5, %f65535 : f64
      affine.store %6, %imgIn[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%w: index, %h: index, %alpha: memref<f64>, %imgIn: memref<?x?xf64>, %imgOut: memref<?x?xf64>,
                  %y1: memref<?x?xf64>, %y2: memref<?x?xf64>) {
  %f1 = arith.constant 1.0 : f64
  %f2 = arith.constant 2.0 : f64
  %fm2 = arith.constant -2.0 : f64
  %f0 = arith.constant 0.0 : f64
  %k = memref.alloca() : memref<f64>
  %a1 = memref.alloca() : memref<f64>
  %a2 = memref.alloca() : memref<f64>
  %a3 = memref.alloca() : memref<f64>
  %a4 = memref.alloca() : memref<f64>
  %a5 = memref.alloca() : memref<f64>
  %a6 = memref.alloca() : memref<f64>
  %a7 = memref.alloca() : memref<f64>
  %a8 = memref.alloca() : memref<f64>
  %b1 = memref.alloca() : memref<f64>
  %b2 = memref.alloca() : memref<f64>
  %c1 = memref.alloca() : memref<f64>
  %c2 = memref.alloca() : memref<f64>
  %xm1 = memref.alloca() : memref<f64>
  %tm1 = memref.alloca() : memref<f64>
  %ym1 = memref.alloca() : memref<f64>
  %ym2 = memref.alloca() : memref<f64>
  %xp1 = memref.alloca() : memref<f64>
  %xp2 = memref.alloca() : memref<f64>
  %tp1 = memref.alloca() : memref<f64>
  %tp2 = memref.alloca() : memref<f64>
  %yp1 = memref.alloca() : memref<f64>
  %yp2 = memref.alloca() : memref<f64>
  // k = (1.0 - exp(-alpha)) * (1.0 - exp(-alpha)) / (1.0 + 2.0 * alpha * exp(-alpha) - exp(2.0 * alpha));
  %0 = affine.load %alpha[] : memref<f64>
  %1 = arith.negf %0 : f64
  %2 = math.exp %1 : f64
  %3 = arith.subf %f1, %2 : f64
  %4 = arith.mulf %3, %3 : f64
  %5 = arith.mulf %f2, %0 : f64
  %6 = arith.mulf %5, %2 : f64
  %7 = arith.addf %f1, %6 : f64
  %8 = math.exp %5 : f64
  %9 = arith.subf %7, %8 : f64
  %10 = arith.divf %4, %9 : f64
  affine.store %10, %k[] : memref<f64>
  // a1 = k;
  %11 = affine.load %k[] : memref<f64>
  affine.store %11, %a1[] : memref<f64>
  // a5 = k;
  %12 = affine.load %k[] : memref<f64>
  affine.store %12, %a5[] : memref<f64>
  // a2 = k * exp(-alpha) * (alpha - 1.0);
  %13 = affine.load %k[] : memref<f64>
  %14 = affine.load %alpha[] : memref<f64>
  %15 = arith.negf %14 : f64
  %16 = math.exp %15 : f64
  %17 = arith.mulf %13, %16 : f64
  %18 = arith.subf %14, %f1 : f64
  %19 = arith.mulf %17, %18 : f64
  affine.store %19, %a2[] : memref<f64>
  // a6 = k * exp(-alpha) * (alpha - 1.0);
  %20 = affine.load %k[] : memref<f64>
  %21 = affine.load %alpha[] : memref<f64>
  %22 = arith.negf %21 : f64
  %23 = math.exp %22 : f64
  %24 = arith.mulf %20, %23 : f64
  %25 = arith.subf %21, %f1 : f64
  %26 = arith.mulf %24, %25 : f64
  affine.store %26, %a6[] : memref<f64>
  // a3 = k * exp(-alpha) * (alpha + 1.0);
  %27 = affine.load %k[] : memref<f64>
  %28 = affine.load %alpha[] : memref<f64>
  %29 = arith.negf %28 : f64
  %30 = math.exp %29 : f64
  %31 = arith.mulf %27, %30 : f64
  %32 = arith.addf %28, %f1 : f64
  %33 = arith.mulf %31, %32 : f64
  affine.store %33, %a3[] : memref<f64>
  // a7 = k * exp(-alpha) * (alpha + 1.0);
  %34 = affine.load %k[] : memref<f64>
  %35 = affine.load %alpha[] : memref<f64>
  %36 = arith.negf %35 : f64
  %37 = math.exp %36 : f64
  %38 = arith.mulf %34, %37 : f64
  %39 = arith.addf %35, %f1 : f64
  %40 = arith.mulf %38, %39 : f64
  affine.store %40, %a7[] : memref<f64>
  // a4 = -k * exp(-2.0 * alpha);
  %41 = affine.load %k[] : memref<f64>
  %42 = arith.negf %41 : f64
  %43 = affine.load %alpha[] : memref<f64>
  %44 = arith.mulf %fm2, %43 : f64
  %45 = math.exp %44 : f64
  %46 = arith.mulf %42, %45 : f64
  affine.store %46, %a4[] : memref<f64>
  // a8 = -k * exp(-2.0 * alpha);
  %47 = affine.load %k[] : memref<f64>
  %48 = arith.negf %47 : f64
  %49 = affine.load %alpha[] : memref<f64>
  %50 = arith.mulf %fm2, %49 : f64
  %51 = math.exp %50 : f64
  %52 = arith.mulf %48, %51 : f64
  affine.store %52, %a8[] : memref<f64>
  // b1 = pow(2.0, -alpha);
  %53 = affine.load %alpha[] : memref<f64>
  %54 = arith.negf %53 : f64
  %55 = math.powf %f2, %54 : f64
  affine.store %55, %b1[] : memref<f64>
  // b2 = -exp(-2.0 * alpha);
  %56 = affine.load %alpha[] : memref<f64>
  %57 = arith.mulf %fm2, %56 : f64
  %58 = math.exp %57 : f64
  %59 = arith.negf %58 : f64
  affine.store %59, %b2[] : memref<f64>
  // c1 = 1;
  affine.store %f1, %c1[] : memref<f64>
  // c2 = 1;
  affine.store %f1, %c2[] : memref<f64>
  affine.for %i = 0 to %w {
    // ym1 = 0.0;
    affine.store %f0, %ym1[] : memref<f64>
    // ym2 = 0.0;
    affine.store %f0, %ym2[] : memref<f64>
    // xm1 = 0.0;
    affine.store %f0, %xm1[] : memref<f64>
    affine.for %j = 0 to %h {
      // y1[i][j] = a1 * imgIn[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
      %60 = affine.load %a1[] : memref<f64>
      %61 = affine.load %imgIn[%i, %j] : memref<?x?xf64>
      %62 = arith.mulf %60, %61 : f64
      %63 = affine.load %a2[] : memref<f64>
      %64 = affine.load %xm1[] : memref<f64>
      %65 = arith.mulf %63, %64 : f64
      %66 = arith.addf %62, %65 : f64
      %67 = affine.load %b1[] : memref<f64>
      %68 = affine.load %ym1[] : memref<f64>
      %69 = arith.mulf %67, %68 : f64
      %70 = arith.addf %66, %69 : f64
      %71 = affine.load %b2[] : memref<f64>
      %72 = affine.load %ym2[] : memref<f64>
      %73 = arith.mulf %71, %72 : f64
      %74 = arith.addf %70, %73 : f64
      affine.store %74, %y1[%i, %j] : memref<?x?xf64>
      // xm1 = imgIn[i][j];
      %75 = affine.load %imgIn[%i, %j] : memref<?x?xf64>
      affine.store %75, %xm1[] : memref<f64>
      // ym2 = ym1;
      %76 = affine.load %ym1[] : memref<f64>
      affine.store %76, %ym2[] : memref<f64>
      // ym1 = y1[i][j];
      %77 = affine.load %y1[%i, %j] : memref<?x?xf64>
      affine.store %77, %ym1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %w {
    // yp1 = 0.0;
    affine.store %f0, %yp1[] : memref<f64>
    // yp2 = 0.0;
    affine.store %f0, %yp2[] : memref<f64>
    // xp1 = 0.0;
    affine.store %f0, %xp1[] : memref<f64>
    // xp2 = 0.0;
    affine.store %f0, %xp2[] : memref<f64>
    // for (j = h - 1; j >= 0; j--)
    affine.for %jr = 0 to %h {
      // y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      %78 = affine.load %a3[] : memref<f64>
      %79 = affine.load %xp1[] : memref<f64>
      %80 = arith.mulf %78, %79 : f64
      %81 = affine.load %a4[] : memref<f64>
      %82 = affine.load %xp2[] : memref<f64>
      %83 = arith.mulf %81, %82 : f64
      %84 = arith.addf %80, %83 : f64
      %85 = affine.load %b1[] : memref<f64>
      %86 = affine.load %yp1[] : memref<f64>
      %87 = arith.mulf %85, %86 : f64
      %88 = arith.addf %84, %87 : f64
      %89 = affine.load %b2[] : memref<f64>
      %90 = affine.load %yp2[] : memref<f64>
      %91 = arith.mulf %89, %90 : f64
      %92 = arith.addf %88, %91 : f64
      affine.store %92, %y2[%i, symbol(%h) - %jr - 1] : memref<?x?xf64>
      // xp2 = xp1;
      %93 = affine.load %xp1[] : memref<f64>
      affine.store %93, %xp2[] : memref<f64>
      // xp1 = imgIn[i][j];
      %94 = affine.load %imgIn[%i, symbol(%h) - %jr - 1] : memref<?x?xf64>
      affine.store %94, %xp1[] : memref<f64>
      // yp2 = yp1;
      %95 = affine.load %yp1[] : memref<f64>
      affine.store %95, %yp2[] : memref<f64>
      // yp1 = y2[i][j];
      %96 = affine.load %y2[%i, symbol(%h) - %jr - 1] : memref<?x?xf64>
      affine.store %96, %yp1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      // imgOut[i][j] = c1 * (y1[i][j] + y2[i][j]);
      %97 = affine.load %c1[] : memref<f64>
      %98 = affine.load %y1[%i, %j] : memref<?x?xf64>
      %99 = affine.load %y2[%i, %j] : memref<?x?xf64>
      %100 = arith.addf %98, %99 : f64
      %101 = arith.mulf %97, %100 : f64
      affine.store %101, %imgOut[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %j = 0 to %h {
    // tm1 = 0.0;
    affine.store %f0, %tm1[] : memref<f64>
    // ym1 = 0.0;
    affine.store %f0, %ym1[] : memref<f64>
    // ym2 = 0.0;
    affine.store %f0, %ym2[] : memref<f64>
    affine.for %i = 0 to %w {
      // y1[i][j] = a5 * imgOut[i][j] + a6 * tm1 + b1 * ym1 + b2 * ym2;
      %102 = affine.load %a5[] : memref<f64>
      %103 = affine.load %imgOut[%i, %j] : memref<?x?xf64>
      %104 = arith.mulf %102, %103 : f64
      %105 = affine.load %a6[] : memref<f64>
      %106 = affine.load %tm1[] : memref<f64>
      %107 = arith.mulf %105, %106 : f64
      %108 = arith.addf %104, %107 : f64
      %109 = affine.load %b1[] : memref<f64>
      %110 = affine.load %ym1[] : memref<f64>
      %111 = arith.mulf %109, %110 : f64
      %112 = arith.addf %108, %111 : f64
      %113 = affine.load %b2[] : memref<f64>
      %114 = affine.load %ym2[] : memref<f64>
      %115 = arith.mulf %113, %114 : f64
      %116 = arith.addf %112, %115 : f64
      affine.store %116, %y1[%i, %j] : memref<?x?xf64>
      // tm1 = imgOut[i][j];
      %117 = affine.load %imgOut[%i, %j] : memref<?x?xf64>
      affine.store %117, %tm1[] : memref<f64>
      // ym2 = ym1;
      %118 = affine.load %ym1[] : memref<f64>
      affine.store %118, %ym2[] : memref<f64>
      // ym1 = y1[i][j];
      %119 = affine.load %y1[%i, %j] : memref<?x?xf64>
      affine.store %119, %ym1[] : memref<f64>
    }
  }
  affine.for %j = 0 to %h {
    // tp1 = 0.0;
    affine.store %f0, %tp1[] : memref<f64>
    // tp2 = 0.0;
    affine.store %f0, %tp2[] : memref<f64>
    // yp1 = 0.0;
    affine.store %f0, %yp1[] : memref<f64>
    // yp2 = 0.0;
    affine.store %f0, %yp2[] : memref<f64>
    // for (i = w - 1; i >= 0; i--)
    affine.for %ir = 0 to %w {
      // y2[i][j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
      %120 = affine.load %a7[] : memref<f64>
      %121 = affine.load %tp1[] : memref<f64>
      %122 = arith.mulf %120, %121 : f64
      %123 = affine.load %a8[] : memref<f64>
      %124 = affine.load %tp2[] : memref<f64>
      %125 = arith.mulf %123, %124 : f64
      %126 = arith.addf %122, %125 : f64
      %127 = affine.load %b1[] : memref<f64>
      %128 = affine.load %yp1[] : memref<f64>
      %129 = arith.mulf %127, %128 : f64
      %130 = arith.addf %126, %129 : f64
      %131 = affine.load %b2[] : memref<f64>
      %132 = affine.load %yp2[] : memref<f64>
      %133 = arith.mulf %131, %132 : f64
      %134 = arith.addf %130, %133 : f64
      affine.store %134, %y2[symbol(%w) - %ir - 1, %j] : memref<?x?xf64>
      // tp2 = tp1;
      %135 = affine.load %tp1[] : memref<f64>
      affine.store %135, %tp2[] : memref<f64>
      // tp1 = imgOut[i][j];
      %136 = affine.load %imgOut[symbol(%w) - %ir - 1, %j] : memref<?x?xf64>
      affine.store %136, %tp1[] : memref<f64>
      // yp2 = yp1;
      %137 = affine.load %yp1[] : memref<f64>
      affine.store %137, %yp2[] : memref<f64>
      // yp1 = y2[i][j];
      %138 = affine.load %y2[symbol(%w) - %ir - 1, %j] : memref<?x?xf64>
      affine.store %138, %yp1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      // imgOut[i][j] = c2 * (y1[i][j] + y2[i][j]);
      %139 = affine.load %c2[] : memref<f64>
      %140 = affine.load %y1[%i, %j] : memref<?x?xf64>
      %141 = affine.load %y2[%i, %j] : memref<?x?xf64>
      %142 = arith.addf %140, %141 : f64
      %143 = arith.mulf %139, %142 : f64
      affine.store %143, %imgOut[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

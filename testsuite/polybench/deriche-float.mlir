// deriche-float: Recursive edge detection filter (Deriche), in PolyBench's default single precision.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.
// Loops that count down in C count up here, with the subscript turned round.
// The chained assignments of the coefficients (a1 = a5 = ..) are one statement for each target.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%w: index, %h: index, %alpha: memref<f32>, %imgIn: memref<?x?xf32>, %imgOut: memref<?x?xf32>,
                %y1: memref<?x?xf32>, %y2: memref<?x?xf32>) {
  %f0_25 = arith.constant 0.25 : f32
  %c313 = arith.constant 313 : index
  %c991 = arith.constant 991 : index
  %c65536 = arith.constant 65536 : index
  %f65535 = arith.constant 65535.0 : f32
  // alpha = 0.25;
  affine.store %f0_25, %alpha[] : memref<f32>
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      // imgIn[i][j] = (DATA_TYPE)((313 * i + 991 * j) % 65536) / 65535.0f;
      %0 = arith.muli %c313, %i : index
      %1 = arith.muli %c991, %j : index
      %2 = arith.addi %0, %1 : index
      %3 = arith.remsi %2, %c65536 : index
      %4 = arith.index_cast %3 : index to i64
      %5 = arith.sitofp %4 : i64 to f32
      %6 = arith.divf %5, %f65535 : f32
      affine.store %6, %imgIn[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// The measured part.
func.func @kernel(%w: index, %h: index, %alpha: memref<f32>, %imgIn: memref<?x?xf32>, %imgOut: memref<?x?xf32>,
                  %y1: memref<?x?xf32>, %y2: memref<?x?xf32>) {
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %fm2 = arith.constant -2.0 : f32
  %f0 = arith.constant 0.0 : f32
  %k = memref.alloca() : memref<f32>
  %a1 = memref.alloca() : memref<f32>
  %a2 = memref.alloca() : memref<f32>
  %a3 = memref.alloca() : memref<f32>
  %a4 = memref.alloca() : memref<f32>
  %a5 = memref.alloca() : memref<f32>
  %a6 = memref.alloca() : memref<f32>
  %a7 = memref.alloca() : memref<f32>
  %a8 = memref.alloca() : memref<f32>
  %b1 = memref.alloca() : memref<f32>
  %b2 = memref.alloca() : memref<f32>
  %c1 = memref.alloca() : memref<f32>
  %c2 = memref.alloca() : memref<f32>
  %xm1 = memref.alloca() : memref<f32>
  %tm1 = memref.alloca() : memref<f32>
  %ym1 = memref.alloca() : memref<f32>
  %ym2 = memref.alloca() : memref<f32>
  %xp1 = memref.alloca() : memref<f32>
  %xp2 = memref.alloca() : memref<f32>
  %tp1 = memref.alloca() : memref<f32>
  %tp2 = memref.alloca() : memref<f32>
  %yp1 = memref.alloca() : memref<f32>
  %yp2 = memref.alloca() : memref<f32>
  // k = (1.0 - exp(-alpha)) * (1.0 - exp(-alpha)) / (1.0 + 2.0 * alpha * exp(-alpha) - exp(2.0 * alpha));
  %0 = affine.load %alpha[] : memref<f32>
  %1 = arith.negf %0 : f32
  %2 = math.exp %1 : f32
  %3 = arith.subf %f1, %2 : f32
  %4 = arith.mulf %3, %3 : f32
  %5 = arith.mulf %f2, %0 : f32
  %6 = arith.mulf %5, %2 : f32
  %7 = arith.addf %f1, %6 : f32
  %8 = math.exp %5 : f32
  %9 = arith.subf %7, %8 : f32
  %10 = arith.divf %4, %9 : f32
  affine.store %10, %k[] : memref<f32>
  // a1 = k;
  %11 = affine.load %k[] : memref<f32>
  affine.store %11, %a1[] : memref<f32>
  // a5 = k;
  %12 = affine.load %k[] : memref<f32>
  affine.store %12, %a5[] : memref<f32>
  // a2 = k * exp(-alpha) * (alpha - 1.0);
  %13 = affine.load %k[] : memref<f32>
  %14 = affine.load %alpha[] : memref<f32>
  %15 = arith.negf %14 : f32
  %16 = math.exp %15 : f32
  %17 = arith.mulf %13, %16 : f32
  %18 = arith.subf %14, %f1 : f32
  %19 = arith.mulf %17, %18 : f32
  affine.store %19, %a2[] : memref<f32>
  // a6 = k * exp(-alpha) * (alpha - 1.0);
  %20 = affine.load %k[] : memref<f32>
  %21 = affine.load %alpha[] : memref<f32>
  %22 = arith.negf %21 : f32
  %23 = math.exp %22 : f32
  %24 = arith.mulf %20, %23 : f32
  %25 = arith.subf %21, %f1 : f32
  %26 = arith.mulf %24, %25 : f32
  affine.store %26, %a6[] : memref<f32>
  // a3 = k * exp(-alpha) * (alpha + 1.0);
  %27 = affine.load %k[] : memref<f32>
  %28 = affine.load %alpha[] : memref<f32>
  %29 = arith.negf %28 : f32
  %30 = math.exp %29 : f32
  %31 = arith.mulf %27, %30 : f32
  %32 = arith.addf %28, %f1 : f32
  %33 = arith.mulf %31, %32 : f32
  affine.store %33, %a3[] : memref<f32>
  // a7 = k * exp(-alpha) * (alpha + 1.0);
  %34 = affine.load %k[] : memref<f32>
  %35 = affine.load %alpha[] : memref<f32>
  %36 = arith.negf %35 : f32
  %37 = math.exp %36 : f32
  %38 = arith.mulf %34, %37 : f32
  %39 = arith.addf %35, %f1 : f32
  %40 = arith.mulf %38, %39 : f32
  affine.store %40, %a7[] : memref<f32>
  // a4 = -k * exp(-2.0 * alpha);
  %41 = affine.load %k[] : memref<f32>
  %42 = arith.negf %41 : f32
  %43 = affine.load %alpha[] : memref<f32>
  %44 = arith.mulf %fm2, %43 : f32
  %45 = math.exp %44 : f32
  %46 = arith.mulf %42, %45 : f32
  affine.store %46, %a4[] : memref<f32>
  // a8 = -k * exp(-2.0 * alpha);
  %47 = affine.load %k[] : memref<f32>
  %48 = arith.negf %47 : f32
  %49 = affine.load %alpha[] : memref<f32>
  %50 = arith.mulf %fm2, %49 : f32
  %51 = math.exp %50 : f32
  %52 = arith.mulf %48, %51 : f32
  affine.store %52, %a8[] : memref<f32>
  // b1 = pow(2.0, -alpha);
  %53 = affine.load %alpha[] : memref<f32>
  %54 = arith.negf %53 : f32
  %55 = math.powf %f2, %54 : f32
  affine.store %55, %b1[] : memref<f32>
  // b2 = -exp(-2.0 * alpha);
  %56 = affine.load %alpha[] : memref<f32>
  %57 = arith.mulf %fm2, %56 : f32
  %58 = math.exp %57 : f32
  %59 = arith.negf %58 : f32
  affine.store %59, %b2[] : memref<f32>
  // c1 = 1;
  affine.store %f1, %c1[] : memref<f32>
  // c2 = 1;
  affine.store %f1, %c2[] : memref<f32>
  affine.for %i = 0 to %w {
    // ym1 = 0.0;
    affine.store %f0, %ym1[] : memref<f32>
    // ym2 = 0.0;
    affine.store %f0, %ym2[] : memref<f32>
    // xm1 = 0.0;
    affine.store %f0, %xm1[] : memref<f32>
    affine.for %j = 0 to %h {
      // y1[i][j] = a1 * imgIn[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
      %60 = affine.load %a1[] : memref<f32>
      %61 = affine.load %imgIn[%i, %j] : memref<?x?xf32>
      %62 = arith.mulf %60, %61 : f32
      %63 = affine.load %a2[] : memref<f32>
      %64 = affine.load %xm1[] : memref<f32>
      %65 = arith.mulf %63, %64 : f32
      %66 = arith.addf %62, %65 : f32
      %67 = affine.load %b1[] : memref<f32>
      %68 = affine.load %ym1[] : memref<f32>
      %69 = arith.mulf %67, %68 : f32
      %70 = arith.addf %66, %69 : f32
      %71 = affine.load %b2[] : memref<f32>
      %72 = affine.load %ym2[] : memref<f32>
      %73 = arith.mulf %71, %72 : f32
      %74 = arith.addf %70, %73 : f32
      affine.store %74, %y1[%i, %j] : memref<?x?xf32>
      // xm1 = imgIn[i][j];
      %75 = affine.load %imgIn[%i, %j] : memref<?x?xf32>
      affine.store %75, %xm1[] : memref<f32>
      // ym2 = ym1;
      %76 = affine.load %ym1[] : memref<f32>
      affine.store %76, %ym2[] : memref<f32>
      // ym1 = y1[i][j];
      %77 = affine.load %y1[%i, %j] : memref<?x?xf32>
      affine.store %77, %ym1[] : memref<f32>
    }
  }
  affine.for %i = 0 to %w {
    // yp1 = 0.0;
    affine.store %f0, %yp1[] : memref<f32>
    // yp2 = 0.0;
    affine.store %f0, %yp2[] : memref<f32>
    // xp1 = 0.0;
    affine.store %f0, %xp1[] : memref<f32>
    // xp2 = 0.0;
    affine.store %f0, %xp2[] : memref<f32>
    // for (j = h - 1; j >= 0; j--)
    affine.for %jr = 0 to %h {
      // y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      %78 = affine.load %a3[] : memref<f32>
      %79 = affine.load %xp1[] : memref<f32>
      %80 = arith.mulf %78, %79 : f32
      %81 = affine.load %a4[] : memref<f32>
      %82 = affine.load %xp2[] : memref<f32>
      %83 = arith.mulf %81, %82 : f32
      %84 = arith.addf %80, %83 : f32
      %85 = affine.load %b1[] : memref<f32>
      %86 = affine.load %yp1[] : memref<f32>
      %87 = arith.mulf %85, %86 : f32
      %88 = arith.addf %84, %87 : f32
      %89 = affine.load %b2[] : memref<f32>
      %90 = affine.load %yp2[] : memref<f32>
      %91 = arith.mulf %89, %90 : f32
      %92 = arith.addf %88, %91 : f32
      affine.store %92, %y2[%i, symbol(%h) - %jr - 1] : memref<?x?xf32>
      // xp2 = xp1;
      %93 = affine.load %xp1[] : memref<f32>
      affine.store %93, %xp2[] : memref<f32>
      // xp1 = imgIn[i][j];
      %94 = affine.load %imgIn[%i, symbol(%h) - %jr - 1] : memref<?x?xf32>
      affine.store %94, %xp1[] : memref<f32>
      // yp2 = yp1;
      %95 = affine.load %yp1[] : memref<f32>
      affine.store %95, %yp2[] : memref<f32>
      // yp1 = y2[i][j];
      %96 = affine.load %y2[%i, symbol(%h) - %jr - 1] : memref<?x?xf32>
      affine.store %96, %yp1[] : memref<f32>
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      // imgOut[i][j] = c1 * (y1[i][j] + y2[i][j]);
      %97 = affine.load %c1[] : memref<f32>
      %98 = affine.load %y1[%i, %j] : memref<?x?xf32>
      %99 = affine.load %y2[%i, %j] : memref<?x?xf32>
      %100 = arith.addf %98, %99 : f32
      %101 = arith.mulf %97, %100 : f32
      affine.store %101, %imgOut[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %j = 0 to %h {
    // tm1 = 0.0;
    affine.store %f0, %tm1[] : memref<f32>
    // ym1 = 0.0;
    affine.store %f0, %ym1[] : memref<f32>
    // ym2 = 0.0;
    affine.store %f0, %ym2[] : memref<f32>
    affine.for %i = 0 to %w {
      // y1[i][j] = a5 * imgOut[i][j] + a6 * tm1 + b1 * ym1 + b2 * ym2;
      %102 = affine.load %a5[] : memref<f32>
      %103 = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      %104 = arith.mulf %102, %103 : f32
      %105 = affine.load %a6[] : memref<f32>
      %106 = affine.load %tm1[] : memref<f32>
      %107 = arith.mulf %105, %106 : f32
      %108 = arith.addf %104, %107 : f32
      %109 = affine.load %b1[] : memref<f32>
      %110 = affine.load %ym1[] : memref<f32>
      %111 = arith.mulf %109, %110 : f32
      %112 = arith.addf %108, %111 : f32
      %113 = affine.load %b2[] : memref<f32>
      %114 = affine.load %ym2[] : memref<f32>
      %115 = arith.mulf %113, %114 : f32
      %116 = arith.addf %112, %115 : f32
      affine.store %116, %y1[%i, %j] : memref<?x?xf32>
      // tm1 = imgOut[i][j];
      %117 = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      affine.store %117, %tm1[] : memref<f32>
      // ym2 = ym1;
      %118 = affine.load %ym1[] : memref<f32>
      affine.store %118, %ym2[] : memref<f32>
      // ym1 = y1[i][j];
      %119 = affine.load %y1[%i, %j] : memref<?x?xf32>
      affine.store %119, %ym1[] : memref<f32>
    }
  }
  affine.for %j = 0 to %h {
    // tp1 = 0.0;
    affine.store %f0, %tp1[] : memref<f32>
    // tp2 = 0.0;
    affine.store %f0, %tp2[] : memref<f32>
    // yp1 = 0.0;
    affine.store %f0, %yp1[] : memref<f32>
    // yp2 = 0.0;
    affine.store %f0, %yp2[] : memref<f32>
    // for (i = w - 1; i >= 0; i--)
    affine.for %ir = 0 to %w {
      // y2[i][j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
      %120 = affine.load %a7[] : memref<f32>
      %121 = affine.load %tp1[] : memref<f32>
      %122 = arith.mulf %120, %121 : f32
      %123 = affine.load %a8[] : memref<f32>
      %124 = affine.load %tp2[] : memref<f32>
      %125 = arith.mulf %123, %124 : f32
      %126 = arith.addf %122, %125 : f32
      %127 = affine.load %b1[] : memref<f32>
      %128 = affine.load %yp1[] : memref<f32>
      %129 = arith.mulf %127, %128 : f32
      %130 = arith.addf %126, %129 : f32
      %131 = affine.load %b2[] : memref<f32>
      %132 = affine.load %yp2[] : memref<f32>
      %133 = arith.mulf %131, %132 : f32
      %134 = arith.addf %130, %133 : f32
      affine.store %134, %y2[symbol(%w) - %ir - 1, %j] : memref<?x?xf32>
      // tp2 = tp1;
      %135 = affine.load %tp1[] : memref<f32>
      affine.store %135, %tp2[] : memref<f32>
      // tp1 = imgOut[i][j];
      %136 = affine.load %imgOut[symbol(%w) - %ir - 1, %j] : memref<?x?xf32>
      affine.store %136, %tp1[] : memref<f32>
      // yp2 = yp1;
      %137 = affine.load %yp1[] : memref<f32>
      affine.store %137, %yp2[] : memref<f32>
      // yp1 = y2[i][j];
      %138 = affine.load %y2[symbol(%w) - %ir - 1, %j] : memref<?x?xf32>
      affine.store %138, %yp1[] : memref<f32>
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      // imgOut[i][j] = c2 * (y1[i][j] + y2[i][j]);
      %139 = affine.load %c2[] : memref<f32>
      %140 = affine.load %y1[%i, %j] : memref<?x?xf32>
      %141 = affine.load %y2[%i, %j] : memref<?x?xf32>
      %142 = arith.addf %140, %141 : f32
      %143 = arith.mulf %139, %142 : f32
      affine.store %143, %imgOut[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// The input that R108.txt describes: 64 statements in one three-deep nest.

func.func @k(%a: memref<40x40x40xf64>, %b: memref<40x40x40xf64>) {
  affine.for %i = 0 to 40 {
    affine.for %j = 0 to 40 {
      affine.for %l = 0 to 40 {
        %u0 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v0 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w0 = arith.addf %u0, %v0 : f64
        affine.store %w0, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u1 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v1 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w1 = arith.subf %u1, %v1 : f64
        affine.store %w1, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u2 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v2 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w2 = arith.maximumf %u2, %v2 : f64
        affine.store %w2, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u3 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v3 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w3 = arith.addf %u3, %v3 : f64
        affine.store %w3, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u4 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v4 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w4 = arith.subf %u4, %v4 : f64
        affine.store %w4, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u5 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v5 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w5 = arith.maximumf %u5, %v5 : f64
        affine.store %w5, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u6 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v6 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w6 = arith.addf %u6, %v6 : f64
        affine.store %w6, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u7 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v7 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w7 = arith.subf %u7, %v7 : f64
        affine.store %w7, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u8 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v8 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w8 = arith.maximumf %u8, %v8 : f64
        affine.store %w8, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u9 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v9 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w9 = arith.addf %u9, %v9 : f64
        affine.store %w9, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u10 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v10 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w10 = arith.subf %u10, %v10 : f64
        affine.store %w10, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u11 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v11 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w11 = arith.maximumf %u11, %v11 : f64
        affine.store %w11, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u12 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v12 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w12 = arith.addf %u12, %v12 : f64
        affine.store %w12, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u13 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v13 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w13 = arith.subf %u13, %v13 : f64
        affine.store %w13, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u14 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v14 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w14 = arith.maximumf %u14, %v14 : f64
        affine.store %w14, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u15 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v15 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w15 = arith.addf %u15, %v15 : f64
        affine.store %w15, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u16 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v16 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w16 = arith.subf %u16, %v16 : f64
        affine.store %w16, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u17 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v17 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w17 = arith.maximumf %u17, %v17 : f64
        affine.store %w17, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u18 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v18 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w18 = arith.addf %u18, %v18 : f64
        affine.store %w18, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u19 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v19 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w19 = arith.subf %u19, %v19 : f64
        affine.store %w19, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u20 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v20 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w20 = arith.maximumf %u20, %v20 : f64
        affine.store %w20, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u21 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v21 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w21 = arith.addf %u21, %v21 : f64
        affine.store %w21, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u22 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v22 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w22 = arith.subf %u22, %v22 : f64
        affine.store %w22, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u23 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v23 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w23 = arith.maximumf %u23, %v23 : f64
        affine.store %w23, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u24 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v24 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w24 = arith.addf %u24, %v24 : f64
        affine.store %w24, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u25 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v25 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w25 = arith.subf %u25, %v25 : f64
        affine.store %w25, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u26 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v26 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w26 = arith.maximumf %u26, %v26 : f64
        affine.store %w26, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u27 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v27 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w27 = arith.addf %u27, %v27 : f64
        affine.store %w27, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u28 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v28 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w28 = arith.subf %u28, %v28 : f64
        affine.store %w28, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u29 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v29 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w29 = arith.maximumf %u29, %v29 : f64
        affine.store %w29, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u30 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v30 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w30 = arith.addf %u30, %v30 : f64
        affine.store %w30, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u31 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v31 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w31 = arith.subf %u31, %v31 : f64
        affine.store %w31, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u32 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v32 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w32 = arith.maximumf %u32, %v32 : f64
        affine.store %w32, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u33 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v33 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w33 = arith.addf %u33, %v33 : f64
        affine.store %w33, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u34 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v34 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w34 = arith.subf %u34, %v34 : f64
        affine.store %w34, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u35 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v35 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w35 = arith.maximumf %u35, %v35 : f64
        affine.store %w35, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u36 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v36 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w36 = arith.addf %u36, %v36 : f64
        affine.store %w36, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u37 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v37 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w37 = arith.subf %u37, %v37 : f64
        affine.store %w37, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u38 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v38 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w38 = arith.maximumf %u38, %v38 : f64
        affine.store %w38, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u39 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v39 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w39 = arith.addf %u39, %v39 : f64
        affine.store %w39, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u40 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v40 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w40 = arith.subf %u40, %v40 : f64
        affine.store %w40, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u41 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v41 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w41 = arith.maximumf %u41, %v41 : f64
        affine.store %w41, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u42 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v42 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w42 = arith.addf %u42, %v42 : f64
        affine.store %w42, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u43 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v43 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w43 = arith.subf %u43, %v43 : f64
        affine.store %w43, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u44 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v44 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w44 = arith.maximumf %u44, %v44 : f64
        affine.store %w44, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u45 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v45 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w45 = arith.addf %u45, %v45 : f64
        affine.store %w45, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u46 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v46 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w46 = arith.subf %u46, %v46 : f64
        affine.store %w46, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u47 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v47 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w47 = arith.maximumf %u47, %v47 : f64
        affine.store %w47, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u48 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v48 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w48 = arith.addf %u48, %v48 : f64
        affine.store %w48, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u49 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v49 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w49 = arith.subf %u49, %v49 : f64
        affine.store %w49, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u50 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v50 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w50 = arith.maximumf %u50, %v50 : f64
        affine.store %w50, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u51 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v51 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w51 = arith.addf %u51, %v51 : f64
        affine.store %w51, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u52 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v52 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w52 = arith.subf %u52, %v52 : f64
        affine.store %w52, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u53 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v53 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w53 = arith.maximumf %u53, %v53 : f64
        affine.store %w53, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u54 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v54 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w54 = arith.addf %u54, %v54 : f64
        affine.store %w54, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u55 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v55 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w55 = arith.subf %u55, %v55 : f64
        affine.store %w55, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u56 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v56 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w56 = arith.maximumf %u56, %v56 : f64
        affine.store %w56, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u57 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v57 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w57 = arith.addf %u57, %v57 : f64
        affine.store %w57, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u58 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v58 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w58 = arith.subf %u58, %v58 : f64
        affine.store %w58, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u59 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v59 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w59 = arith.maximumf %u59, %v59 : f64
        affine.store %w59, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u60 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v60 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w60 = arith.addf %u60, %v60 : f64
        affine.store %w60, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u61 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v61 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w61 = arith.subf %u61, %v61 : f64
        affine.store %w61, %a[%i, %j, %l] : memref<40x40x40xf64>
        %u62 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %v62 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %w62 = arith.maximumf %u62, %v62 : f64
        affine.store %w62, %b[%i, %j, %l] : memref<40x40x40xf64>
        %u63 = affine.load %a[%i, %j, %l] : memref<40x40x40xf64>
        %v63 = affine.load %b[%i, %j, %l] : memref<40x40x40xf64>
        %w63 = arith.addf %u63, %v63 : f64
        affine.store %w63, %a[%i, %j, %l] : memref<40x40x40xf64>
      }
    }
  }
  return
}

// Lattice-Boltzmann, nine directions in two dimensions, relaxation towards equilibrium; distributions are pulled from the neighbours. Two time levels in turn; the rim stays as it is.

func.func @init(%steps: index, %n: index, %w: memref<9xf64>, %cx: memref<9xf64>, %cy: memref<9xf64>, %F: memref<2x9x?x?xf64>) {
  %one = arith.constant 1.0 : f64
  %minus = arith.constant -1.0 : f64
  %zero = arith.constant 0.0 : f64
  %w0 = arith.constant 0.44444444444444442 : f64
  %w1 = arith.constant 0.1111111111111111 : f64
  %w5 = arith.constant 0.027777777777777776 : f64
  %d = arith.constant 1000.0 : f64
  affine.for %q = 0 to 9 {
    affine.store %w5, %w[%q] : memref<9xf64>
    affine.store %zero, %cx[%q] : memref<9xf64>
    affine.store %zero, %cy[%q] : memref<9xf64>
  }
  affine.for %q = 1 to 5 {
    affine.store %w1, %w[%q] : memref<9xf64>
  }
  affine.store %w0, %w[0] : memref<9xf64>
  affine.store %one, %cx[1] : memref<9xf64>
  affine.store %one, %cy[2] : memref<9xf64>
  affine.store %minus, %cx[3] : memref<9xf64>
  affine.store %minus, %cy[4] : memref<9xf64>
  affine.store %one, %cx[5] : memref<9xf64>
  affine.store %one, %cy[5] : memref<9xf64>
  affine.store %minus, %cx[6] : memref<9xf64>
  affine.store %one, %cy[6] : memref<9xf64>
  affine.store %minus, %cx[7] : memref<9xf64>
  affine.store %minus, %cy[7] : memref<9xf64>
  affine.store %one, %cx[8] : memref<9xf64>
  affine.store %minus, %cy[8] : memref<9xf64>
  affine.for %l = 0 to 2 {
    affine.for %q = 0 to 9 {
      affine.for %i = 0 to %n {
        affine.for %j = 0 to %n {
          %0 = affine.apply affine_map<(q, i, j) -> ((q * 11 + i * 3 + j * 7) mod 19)>(%q, %i, %j)
          %1 = arith.index_cast %0 : index to i64
          %2 = arith.sitofp %1 : i64 to f64
          %3 = arith.divf %2, %d : f64
          %4 = affine.load %w[%q] : memref<9xf64>
          %5 = arith.addf %3, %4 : f64
          affine.store %5, %F[%l, %q, %i, %j] : memref<2x9x?x?xf64>
        }
      }
    }
  }
  return
}

func.func @kernel(%steps: index, %n: index, %w: memref<9xf64>, %cx: memref<9xf64>, %cy: memref<9xf64>, %F: memref<2x9x?x?xf64>) {
  %one = arith.constant 1.0 : f64
  %three = arith.constant 3.0 : f64
  %half9 = arith.constant 4.5 : f64
  %half3 = arith.constant 1.5 : f64
  %omega = arith.constant 0.6 : f64
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %f0 = affine.load %F[%t mod 2, 0, %i, %j] : memref<2x9x?x?xf64>
        %f1 = affine.load %F[%t mod 2, 1, %i, %j - 1] : memref<2x9x?x?xf64>
        %f2 = affine.load %F[%t mod 2, 2, %i - 1, %j] : memref<2x9x?x?xf64>
        %f3 = affine.load %F[%t mod 2, 3, %i, %j + 1] : memref<2x9x?x?xf64>
        %f4 = affine.load %F[%t mod 2, 4, %i + 1, %j] : memref<2x9x?x?xf64>
        %f5 = affine.load %F[%t mod 2, 5, %i - 1, %j - 1] : memref<2x9x?x?xf64>
        %f6 = affine.load %F[%t mod 2, 6, %i - 1, %j + 1] : memref<2x9x?x?xf64>
        %f7 = affine.load %F[%t mod 2, 7, %i + 1, %j + 1] : memref<2x9x?x?xf64>
        %f8 = affine.load %F[%t mod 2, 8, %i + 1, %j - 1] : memref<2x9x?x?xf64>
        %a0 = arith.addf %f0, %f1 : f64
        %a1 = arith.addf %a0, %f2 : f64
        %a2 = arith.addf %a1, %f3 : f64
        %a3 = arith.addf %a2, %f4 : f64
        %a4 = arith.addf %a3, %f5 : f64
        %a5 = arith.addf %a4, %f6 : f64
        %a6 = arith.addf %a5, %f7 : f64
        %rho = arith.addf %a6, %f8 : f64
        %x0 = arith.subf %f1, %f3 : f64
        %x1 = arith.addf %x0, %f5 : f64
        %x2 = arith.subf %x1, %f6 : f64
        %x3 = arith.subf %x2, %f7 : f64
        %x4 = arith.addf %x3, %f8 : f64
        %u = arith.divf %x4, %rho : f64
        %y0 = arith.subf %f2, %f4 : f64
        %y1 = arith.addf %y0, %f5 : f64
        %y2 = arith.addf %y1, %f6 : f64
        %y3 = arith.subf %y2, %f7 : f64
        %y4 = arith.subf %y3, %f8 : f64
        %v = arith.divf %y4, %rho : f64
        %uu = arith.mulf %u, %u : f64
        %vv = arith.mulf %v, %v : f64
        %speed = arith.addf %uu, %vv : f64
        %drag = arith.mulf %speed, %half3 : f64
        %base = arith.subf %one, %drag : f64
        // Direction 0.
        %w_0 = affine.load %w[0] : memref<9xf64>
        %cx_0 = affine.load %cx[0] : memref<9xf64>
        %cy_0 = affine.load %cy[0] : memref<9xf64>
        %px_0 = arith.mulf %cx_0, %u : f64
        %py_0 = arith.mulf %cy_0, %v : f64
        %p_0 = arith.addf %px_0, %py_0 : f64
        %l_0 = arith.mulf %p_0, %three : f64
        %s_0 = arith.mulf %p_0, %p_0 : f64
        %m_0 = arith.mulf %s_0, %half9 : f64
        %e0_0 = arith.addf %base, %l_0 : f64
        %e1_0 = arith.addf %e0_0, %m_0 : f64
        %e2_0 = arith.mulf %e1_0, %rho : f64
        %e3_0 = arith.mulf %e2_0, %w_0 : f64
        %d_0 = arith.subf %e3_0, %f0 : f64
        %r_0 = arith.mulf %d_0, %omega : f64
        %n_0 = arith.addf %f0, %r_0 : f64
        affine.store %n_0, %F[(%t + 1) mod 2, 0, %i, %j] : memref<2x9x?x?xf64>
        // Direction 1.
        %w_1 = affine.load %w[1] : memref<9xf64>
        %cx_1 = affine.load %cx[1] : memref<9xf64>
        %cy_1 = affine.load %cy[1] : memref<9xf64>
        %px_1 = arith.mulf %cx_1, %u : f64
        %py_1 = arith.mulf %cy_1, %v : f64
        %p_1 = arith.addf %px_1, %py_1 : f64
        %l_1 = arith.mulf %p_1, %three : f64
        %s_1 = arith.mulf %p_1, %p_1 : f64
        %m_1 = arith.mulf %s_1, %half9 : f64
        %e0_1 = arith.addf %base, %l_1 : f64
        %e1_1 = arith.addf %e0_1, %m_1 : f64
        %e2_1 = arith.mulf %e1_1, %rho : f64
        %e3_1 = arith.mulf %e2_1, %w_1 : f64
        %d_1 = arith.subf %e3_1, %f1 : f64
        %r_1 = arith.mulf %d_1, %omega : f64
        %n_1 = arith.addf %f1, %r_1 : f64
        affine.store %n_1, %F[(%t + 1) mod 2, 1, %i, %j] : memref<2x9x?x?xf64>
        // Direction 2.
        %w_2 = affine.load %w[2] : memref<9xf64>
        %cx_2 = affine.load %cx[2] : memref<9xf64>
        %cy_2 = affine.load %cy[2] : memref<9xf64>
        %px_2 = arith.mulf %cx_2, %u : f64
        %py_2 = arith.mulf %cy_2, %v : f64
        %p_2 = arith.addf %px_2, %py_2 : f64
        %l_2 = arith.mulf %p_2, %three : f64
        %s_2 = arith.mulf %p_2, %p_2 : f64
        %m_2 = arith.mulf %s_2, %half9 : f64
        %e0_2 = arith.addf %base, %l_2 : f64
        %e1_2 = arith.addf %e0_2, %m_2 : f64
        %e2_2 = arith.mulf %e1_2, %rho : f64
        %e3_2 = arith.mulf %e2_2, %w_2 : f64
        %d_2 = arith.subf %e3_2, %f2 : f64
        %r_2 = arith.mulf %d_2, %omega : f64
        %n_2 = arith.addf %f2, %r_2 : f64
        affine.store %n_2, %F[(%t + 1) mod 2, 2, %i, %j] : memref<2x9x?x?xf64>
        // Direction 3.
        %w_3 = affine.load %w[3] : memref<9xf64>
        %cx_3 = affine.load %cx[3] : memref<9xf64>
        %cy_3 = affine.load %cy[3] : memref<9xf64>
        %px_3 = arith.mulf %cx_3, %u : f64
        %py_3 = arith.mulf %cy_3, %v : f64
        %p_3 = arith.addf %px_3, %py_3 : f64
        %l_3 = arith.mulf %p_3, %three : f64
        %s_3 = arith.mulf %p_3, %p_3 : f64
        %m_3 = arith.mulf %s_3, %half9 : f64
        %e0_3 = arith.addf %base, %l_3 : f64
        %e1_3 = arith.addf %e0_3, %m_3 : f64
        %e2_3 = arith.mulf %e1_3, %rho : f64
        %e3_3 = arith.mulf %e2_3, %w_3 : f64
        %d_3 = arith.subf %e3_3, %f3 : f64
        %r_3 = arith.mulf %d_3, %omega : f64
        %n_3 = arith.addf %f3, %r_3 : f64
        affine.store %n_3, %F[(%t + 1) mod 2, 3, %i, %j] : memref<2x9x?x?xf64>
        // Direction 4.
        %w_4 = affine.load %w[4] : memref<9xf64>
        %cx_4 = affine.load %cx[4] : memref<9xf64>
        %cy_4 = affine.load %cy[4] : memref<9xf64>
        %px_4 = arith.mulf %cx_4, %u : f64
        %py_4 = arith.mulf %cy_4, %v : f64
        %p_4 = arith.addf %px_4, %py_4 : f64
        %l_4 = arith.mulf %p_4, %three : f64
        %s_4 = arith.mulf %p_4, %p_4 : f64
        %m_4 = arith.mulf %s_4, %half9 : f64
        %e0_4 = arith.addf %base, %l_4 : f64
        %e1_4 = arith.addf %e0_4, %m_4 : f64
        %e2_4 = arith.mulf %e1_4, %rho : f64
        %e3_4 = arith.mulf %e2_4, %w_4 : f64
        %d_4 = arith.subf %e3_4, %f4 : f64
        %r_4 = arith.mulf %d_4, %omega : f64
        %n_4 = arith.addf %f4, %r_4 : f64
        affine.store %n_4, %F[(%t + 1) mod 2, 4, %i, %j] : memref<2x9x?x?xf64>
        // Direction 5.
        %w_5 = affine.load %w[5] : memref<9xf64>
        %cx_5 = affine.load %cx[5] : memref<9xf64>
        %cy_5 = affine.load %cy[5] : memref<9xf64>
        %px_5 = arith.mulf %cx_5, %u : f64
        %py_5 = arith.mulf %cy_5, %v : f64
        %p_5 = arith.addf %px_5, %py_5 : f64
        %l_5 = arith.mulf %p_5, %three : f64
        %s_5 = arith.mulf %p_5, %p_5 : f64
        %m_5 = arith.mulf %s_5, %half9 : f64
        %e0_5 = arith.addf %base, %l_5 : f64
        %e1_5 = arith.addf %e0_5, %m_5 : f64
        %e2_5 = arith.mulf %e1_5, %rho : f64
        %e3_5 = arith.mulf %e2_5, %w_5 : f64
        %d_5 = arith.subf %e3_5, %f5 : f64
        %r_5 = arith.mulf %d_5, %omega : f64
        %n_5 = arith.addf %f5, %r_5 : f64
        affine.store %n_5, %F[(%t + 1) mod 2, 5, %i, %j] : memref<2x9x?x?xf64>
        // Direction 6.
        %w_6 = affine.load %w[6] : memref<9xf64>
        %cx_6 = affine.load %cx[6] : memref<9xf64>
        %cy_6 = affine.load %cy[6] : memref<9xf64>
        %px_6 = arith.mulf %cx_6, %u : f64
        %py_6 = arith.mulf %cy_6, %v : f64
        %p_6 = arith.addf %px_6, %py_6 : f64
        %l_6 = arith.mulf %p_6, %three : f64
        %s_6 = arith.mulf %p_6, %p_6 : f64
        %m_6 = arith.mulf %s_6, %half9 : f64
        %e0_6 = arith.addf %base, %l_6 : f64
        %e1_6 = arith.addf %e0_6, %m_6 : f64
        %e2_6 = arith.mulf %e1_6, %rho : f64
        %e3_6 = arith.mulf %e2_6, %w_6 : f64
        %d_6 = arith.subf %e3_6, %f6 : f64
        %r_6 = arith.mulf %d_6, %omega : f64
        %n_6 = arith.addf %f6, %r_6 : f64
        affine.store %n_6, %F[(%t + 1) mod 2, 6, %i, %j] : memref<2x9x?x?xf64>
        // Direction 7.
        %w_7 = affine.load %w[7] : memref<9xf64>
        %cx_7 = affine.load %cx[7] : memref<9xf64>
        %cy_7 = affine.load %cy[7] : memref<9xf64>
        %px_7 = arith.mulf %cx_7, %u : f64
        %py_7 = arith.mulf %cy_7, %v : f64
        %p_7 = arith.addf %px_7, %py_7 : f64
        %l_7 = arith.mulf %p_7, %three : f64
        %s_7 = arith.mulf %p_7, %p_7 : f64
        %m_7 = arith.mulf %s_7, %half9 : f64
        %e0_7 = arith.addf %base, %l_7 : f64
        %e1_7 = arith.addf %e0_7, %m_7 : f64
        %e2_7 = arith.mulf %e1_7, %rho : f64
        %e3_7 = arith.mulf %e2_7, %w_7 : f64
        %d_7 = arith.subf %e3_7, %f7 : f64
        %r_7 = arith.mulf %d_7, %omega : f64
        %n_7 = arith.addf %f7, %r_7 : f64
        affine.store %n_7, %F[(%t + 1) mod 2, 7, %i, %j] : memref<2x9x?x?xf64>
        // Direction 8.
        %w_8 = affine.load %w[8] : memref<9xf64>
        %cx_8 = affine.load %cx[8] : memref<9xf64>
        %cy_8 = affine.load %cy[8] : memref<9xf64>
        %px_8 = arith.mulf %cx_8, %u : f64
        %py_8 = arith.mulf %cy_8, %v : f64
        %p_8 = arith.addf %px_8, %py_8 : f64
        %l_8 = arith.mulf %p_8, %three : f64
        %s_8 = arith.mulf %p_8, %p_8 : f64
        %m_8 = arith.mulf %s_8, %half9 : f64
        %e0_8 = arith.addf %base, %l_8 : f64
        %e1_8 = arith.addf %e0_8, %m_8 : f64
        %e2_8 = arith.mulf %e1_8, %rho : f64
        %e3_8 = arith.mulf %e2_8, %w_8 : f64
        %d_8 = arith.subf %e3_8, %f8 : f64
        %r_8 = arith.mulf %d_8, %omega : f64
        %n_8 = arith.addf %f8, %r_8 : f64
        affine.store %n_8, %F[(%t + 1) mod 2, 8, %i, %j] : memref<2x9x?x?xf64>
      }
    }
  }
  return
}

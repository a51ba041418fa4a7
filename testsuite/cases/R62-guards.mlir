// The input that R62.txt describes: 24 nested guards, each a divisibility test of another linear form of (i, j).

func.func @k(%a: memref<128x128xi32>) {
  %one = arith.constant 1 : i32
  affine.for %i = 0 to 128 {
    affine.for %j = 0 to 128 {
      affine.if affine_set<(d0, d1) : ((d0 * 1 + d1 * 2 + 0) mod 2 == 0)>(%i, %j) {
        affine.if affine_set<(d0, d1) : ((d0 * 2 + d1 * 4 + 3) mod 3 == 0)>(%i, %j) {
          affine.if affine_set<(d0, d1) : ((d0 * 3 + d1 * 6 + 8) mod 4 == 0)>(%i, %j) {
            affine.if affine_set<(d0, d1) : ((d0 * 4 + d1 * 1 + 15) mod 5 == 0)>(%i, %j) {
              affine.if affine_set<(d0, d1) : ((d0 * 5 + d1 * 3 + 8) mod 2 == 0)>(%i, %j) {
                affine.if affine_set<(d0, d1) : ((d0 * 1 + d1 * 5 + 15) mod 3 == 0)>(%i, %j) {
                  affine.if affine_set<(d0, d1) : ((d0 * 2 + d1 * 7 + 24) mod 4 == 0)>(%i, %j) {
                    affine.if affine_set<(d0, d1) : ((d0 * 3 + d1 * 2 + 35) mod 5 == 0)>(%i, %j) {
                      affine.if affine_set<(d0, d1) : ((d0 * 4 + d1 * 4 + 16) mod 2 == 0)>(%i, %j) {
                        affine.if affine_set<(d0, d1) : ((d0 * 5 + d1 * 6 + 27) mod 3 == 0)>(%i, %j) {
                          affine.if affine_set<(d0, d1) : ((d0 * 1 + d1 * 1 + 40) mod 4 == 0)>(%i, %j) {
                            affine.if affine_set<(d0, d1) : ((d0 * 2 + d1 * 3 + 55) mod 5 == 0)>(%i, %j) {
                              affine.if affine_set<(d0, d1) : ((d0 * 3 + d1 * 5 + 24) mod 2 == 0)>(%i, %j) {
                                affine.if affine_set<(d0, d1) : ((d0 * 4 + d1 * 7 + 39) mod 3 == 0)>(%i, %j) {
                                  affine.if affine_set<(d0, d1) : ((d0 * 5 + d1 * 2 + 56) mod 4 == 0)>(%i, %j) {
                                    affine.if affine_set<(d0, d1) : ((d0 * 1 + d1 * 4 + 75) mod 5 == 0)>(%i, %j) {
                                      affine.if affine_set<(d0, d1) : ((d0 * 2 + d1 * 6 + 32) mod 2 == 0)>(%i, %j) {
                                        affine.if affine_set<(d0, d1) : ((d0 * 3 + d1 * 1 + 51) mod 3 == 0)>(%i, %j) {
                                          affine.if affine_set<(d0, d1) : ((d0 * 4 + d1 * 3 + 72) mod 4 == 0)>(%i, %j) {
                                            affine.if affine_set<(d0, d1) : ((d0 * 5 + d1 * 5 + 95) mod 5 == 0)>(%i, %j) {
                                              affine.if affine_set<(d0, d1) : ((d0 * 1 + d1 * 7 + 40) mod 2 == 0)>(%i, %j) {
                                                affine.if affine_set<(d0, d1) : ((d0 * 2 + d1 * 2 + 63) mod 3 == 0)>(%i, %j) {
                                                  affine.if affine_set<(d0, d1) : ((d0 * 3 + d1 * 4 + 88) mod 4 == 0)>(%i, %j) {
                                                    affine.if affine_set<(d0, d1) : ((d0 * 4 + d1 * 6 + 115) mod 5 == 0)>(%i, %j) {
                                                      %v = affine.load %a[%i, %j] : memref<128x128xi32>
                                                      %w = arith.addi %v, %one : i32
                                                      affine.store %w, %a[%i, %j] : memref<128x128xi32>
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  return
}

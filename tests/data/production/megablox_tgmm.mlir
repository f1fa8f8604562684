module @jit attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1]>
  func.func public @main(%arg0: tensor<128x256xf32>, %arg1: tensor<256x128xf32>, %arg2: tensor<3xi32>) -> (tensor<3x128x128xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %0 = call @tgmm(%arg0, %arg1, %arg2) : (tensor<128x256xf32>, tensor<256x128xf32>, tensor<3xi32>) -> tensor<3x128x128xf32>
    return %0 : tensor<3x128x128xf32>
  }
  func.func private @tgmm(%arg0: tensor<128x256xf32>, %arg1: tensor<256x128xf32>, %arg2: tensor<3xi32>) -> tensor<3x128x128xf32> {
    %c = stablehlo.constant dense<0> : tensor<1xi32>
    %cst = stablehlo.constant dense<[0.000000e+00, 1.000000e+00]> : tensor<2xf32>
    %0 = stablehlo.reshape %c : (tensor<1xi32>) -> tensor<i32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %1 = sdy.sharding_constraint %0 <@mesh, []> : tensor<i32>
    %2 = sdy.sharding_constraint %c_0 <@mesh, []> : tensor<i32>
    %3 = stablehlo.add %1, %2 : tensor<i32>
    %4 = sdy.sharding_constraint %3 <@mesh, []> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %5 = sdy.sharding_constraint %c_1 <@mesh, []> : tensor<i32>
    %6 = stablehlo.subtract %4, %5 : tensor<i32>
    %7 = sdy.sharding_constraint %6 <@mesh, []> : tensor<i32>
    %8 = call @cumsum(%arg2) : (tensor<3xi32>) -> tensor<3xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %10 = sdy.sharding_constraint %9 <@mesh, [{}]> : tensor<1xi32>
    %11 = stablehlo.concatenate %10, %8, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %12 = sdy.sharding_constraint %11 <@mesh, [{}]> : tensor<4xi32>
    %c_3 = stablehlo.constant dense<128> : tensor<i32>
    %13 = sdy.sharding_constraint %8 <@mesh, [{}]> : tensor<3xi32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %15 = sdy.sharding_constraint %14 <@mesh, [{}]> : tensor<3xi32>
    %16 = stablehlo.add %13, %15 : tensor<3xi32>
    %17 = sdy.sharding_constraint %16 <@mesh, [{}]> : tensor<3xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %19 = sdy.sharding_constraint %18 <@mesh, [{}]> : tensor<3xi32>
    %20 = stablehlo.subtract %17, %19 : tensor<3xi32>
    %21 = sdy.sharding_constraint %20 <@mesh, [{}]> : tensor<3xi32>
    %c_5 = stablehlo.constant dense<128> : tensor<i32>
    %22 = call @floor_divide(%21, %c_5) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_6 = stablehlo.constant dense<128> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %24 = sdy.sharding_constraint %23 <@mesh, [{}]> : tensor<3xi32>
    %25 = stablehlo.multiply %22, %24 : tensor<3xi32>
    %26 = sdy.sharding_constraint %25 <@mesh, [{}]> : tensor<3xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = sdy.sharding_constraint %27 <@mesh, [{}]> : tensor<1xi32>
    %29 = stablehlo.slice %8 [0:2] : (tensor<3xi32>) -> tensor<2xi32>
    %30 = stablehlo.concatenate %28, %29, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
    %31 = sdy.sharding_constraint %30 <@mesh, [{}]> : tensor<3xi32>
    %c_8 = stablehlo.constant dense<128> : tensor<i32>
    %32 = call @floor_divide(%31, %c_8) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_9 = stablehlo.constant dense<128> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %34 = sdy.sharding_constraint %33 <@mesh, [{}]> : tensor<3xi32>
    %35 = stablehlo.multiply %32, %34 : tensor<3xi32>
    %36 = sdy.sharding_constraint %35 <@mesh, [{}]> : tensor<3xi32>
    %37 = stablehlo.subtract %26, %36 : tensor<3xi32>
    %38 = sdy.sharding_constraint %37 <@mesh, [{}]> : tensor<3xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %39 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<3xi32>
    %40 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %41 = sdy.sharding_constraint %40 <@mesh, [{}]> : tensor<3xi32>
    %42 = stablehlo.compare EQ, %39, %41, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %43 = call @_where_6(%42, %c_11, %38) : (tensor<3xi1>, tensor<i32>, tensor<3xi32>) -> tensor<3xi32>
    %c_12 = stablehlo.constant dense<128> : tensor<i32>
    %44 = call @floor_divide(%43, %c_12) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %45 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<3xi32>
    %46 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %47 = sdy.sharding_constraint %46 <@mesh, [{}]> : tensor<3xi32>
    %48 = stablehlo.compare EQ, %45, %47, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %49 = call @_where_6(%48, %c_14, %44) : (tensor<3xi1>, tensor<i32>, tensor<3xi32>) -> tensor<3xi32>
    %50 = stablehlo.iota dim = 0 : tensor<3xi32>
    %51 = sdy.sharding_constraint %50 <@mesh, [{}]> : tensor<3xi32>
    %52 = call @_roll_static(%49) : (tensor<3xi32>) -> tensor<3xi32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %53 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %54 = "stablehlo.scatter"(%52, %53, %c_16) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<3xi32>, tensor<1xi32>, tensor<i32>) -> tensor<3xi32>
    %55 = call @cumsum_12(%54) : (tensor<3xi32>) -> tensor<3xi32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %56 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %58 = stablehlo.compare LT, %55, %57, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_19 = stablehlo.constant dense<4> : tensor<i32>
    %59 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %60 = stablehlo.add %55, %59 : tensor<3xi32>
    %61 = stablehlo.select %58, %60, %55 : tensor<3xi1>, tensor<3xi32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %c_20 = stablehlo.constant dense<1> : tensor<i32>
    %63 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %64 = "stablehlo.scatter"(%56, %62, %63) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %200 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %200 : tensor<i32>
    }) : (tensor<4xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %65 = call @cumsum_21(%64) : (tensor<4xi32>) -> tensor<4xi32>
    %c_21 = stablehlo.constant dense<1> : tensor<i32>
    %66 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %67 = stablehlo.subtract %65, %66 : tensor<4xi32>
    %68 = call @_take(%51, %67) : (tensor<3xi32>, tensor<4xi32>) -> tensor<4xi32>
    %69 = sdy.sharding_constraint %68 <@mesh, [{}]> : tensor<4xi32>
    %70 = stablehlo.slice %12 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %71 = sdy.sharding_constraint %70 <@mesh, [{}]> : tensor<3xi32>
    %c_22 = stablehlo.constant dense<128> : tensor<i32>
    %72 = call @remainder(%71, %c_22) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %73 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %74 = sdy.sharding_constraint %73 <@mesh, [{}]> : tensor<3xi32>
    %75 = stablehlo.compare EQ, %72, %74, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %76 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<3xi32>
    %77 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %78 = sdy.sharding_constraint %77 <@mesh, [{}]> : tensor<3xi32>
    %79 = stablehlo.compare EQ, %76, %78, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %80 = stablehlo.or %75, %79 : tensor<3xi1>
    %81 = sdy.sharding_constraint %80 <@mesh, [{}]> : tensor<3xi1>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %82 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<3xi32>
    %83 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %84 = sdy.sharding_constraint %83 <@mesh, [{}]> : tensor<3xi32>
    %85 = stablehlo.compare EQ, %82, %84, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_26 = stablehlo.constant dense<0> : tensor<i32>
    %86 = call @_where_45(%85, %c_26, %81) : (tensor<3xi1>, tensor<i32>, tensor<3xi1>) -> tensor<3xi32>
    %87 = stablehlo.slice %12 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %88 = sdy.sharding_constraint %87 <@mesh, [{}]> : tensor<3xi32>
    %c_27 = stablehlo.constant dense<128> : tensor<i32>
    %89 = call @floor_divide(%88, %c_27) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_28 = stablehlo.constant dense<2> : tensor<i32>
    %90 = call @_where_49(%86, %c_28, %89) : (tensor<3xi32>, tensor<i32>, tensor<3xi32>) -> tensor<3xi32>
    %91 = stablehlo.convert %90 : (tensor<3xi32>) -> tensor<3xf32>
    %92 = sdy.sharding_constraint %91 <@mesh, [{}]> : tensor<3xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %94 = sdy.sharding_constraint %93 <@mesh, [{}]> : tensor<3xf32>
    %95 = call @_ptp(%cst) : (tensor<2xf32>) -> tensor<f32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = sdy.sharding_constraint %cst_30 <@mesh, []> : tensor<f32>
    %97 = stablehlo.compare EQ, %95, %96, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %98 = stablehlo.slice %cst [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %99 = stablehlo.reshape %98 : (tensor<1xf32>) -> tensor<f32>
    %cst_31 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %100 = sdy.sharding_constraint %99 <@mesh, []> : tensor<f32>
    %101 = sdy.sharding_constraint %cst_31 <@mesh, []> : tensor<f32>
    %102 = stablehlo.subtract %100, %101 : tensor<f32>
    %103 = sdy.sharding_constraint %102 <@mesh, []> : tensor<f32>
    %104 = stablehlo.slice %cst [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %105 = stablehlo.reshape %104 : (tensor<1xf32>) -> tensor<f32>
    %106 = call @_where_59(%97, %103, %105) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %107 = call @_ptp(%cst) : (tensor<2xf32>) -> tensor<f32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = sdy.sharding_constraint %cst_32 <@mesh, []> : tensor<f32>
    %109 = stablehlo.compare EQ, %107, %108, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %110 = stablehlo.slice %cst [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %111 = stablehlo.reshape %110 : (tensor<1xf32>) -> tensor<f32>
    %cst_33 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %112 = sdy.sharding_constraint %111 <@mesh, []> : tensor<f32>
    %113 = sdy.sharding_constraint %cst_33 <@mesh, []> : tensor<f32>
    %114 = stablehlo.add %112, %113 : tensor<f32>
    %115 = sdy.sharding_constraint %114 <@mesh, []> : tensor<f32>
    %116 = stablehlo.slice %cst [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %117 = stablehlo.reshape %116 : (tensor<1xf32>) -> tensor<f32>
    %118 = call @_where_59(%109, %115, %117) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %119 = call @_linspace(%106, %118) : (tensor<f32>, tensor<f32>) -> tensor<3xf32>
    %120 = call @searchsorted(%119, %92) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi32>
    %121 = stablehlo.slice %119 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %122 = sdy.sharding_constraint %121 <@mesh, [{}]> : tensor<1xf32>
    %123 = stablehlo.reshape %122 : (tensor<1xf32>) -> tensor<f32>
    %124 = sdy.sharding_constraint %123 <@mesh, []> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %126 = sdy.sharding_constraint %125 <@mesh, [{}]> : tensor<3xf32>
    %127 = stablehlo.compare EQ, %92, %126, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %c_34 = stablehlo.constant dense<2> : tensor<i32>
    %128 = call @_where_6(%127, %c_34, %120) : (tensor<3xi1>, tensor<i32>, tensor<3xi32>) -> tensor<3xi32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %130 = sdy.sharding_constraint %129 <@mesh, [{}]> : tensor<3xf32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %131 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %132 = sdy.sharding_constraint %131 <@mesh, [{}]> : tensor<3xi32>
    %133 = stablehlo.compare LT, %128, %132, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_37 = stablehlo.constant dense<3> : tensor<i32>
    %134 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %135 = sdy.sharding_constraint %134 <@mesh, [{}]> : tensor<3xi32>
    %136 = stablehlo.add %128, %135 : tensor<3xi32>
    %137 = sdy.sharding_constraint %136 <@mesh, [{}]> : tensor<3xi32>
    %138 = stablehlo.select %133, %137, %128 : tensor<3xi1>, tensor<3xi32>
    %139 = sdy.sharding_constraint %138 <@mesh, [{}]> : tensor<3xi32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %141 = sdy.sharding_constraint %140 <@mesh, [{}, {}]> : tensor<3x1xi32>
    %142 = "stablehlo.scatter"(%130, %141, %94) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %200 = sdy.sharding_constraint %arg3 <@mesh, []> : tensor<f32>
      %201 = sdy.sharding_constraint %arg4 <@mesh, []> : tensor<f32>
      %202 = stablehlo.add %200, %201 : tensor<f32>
      %203 = sdy.sharding_constraint %202 <@mesh, []> : tensor<f32>
      stablehlo.return %203 : tensor<f32>
    }) : (tensor<3xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<3xf32>
    %143 = sdy.sharding_constraint %142 <@mesh, [{}]> : tensor<3xf32>
    %144 = stablehlo.slice %143 [1:3] : (tensor<3xf32>) -> tensor<2xf32>
    %145 = sdy.sharding_constraint %144 <@mesh, [{}]> : tensor<2xf32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %147 = sdy.sharding_constraint %146 <@mesh, [{}]> : tensor<2xf32>
    %148 = stablehlo.add %145, %147 : tensor<2xf32>
    %149 = sdy.sharding_constraint %148 <@mesh, [{}]> : tensor<2xf32>
    %150 = stablehlo.iota dim = 0 : tensor<2xi32>
    %151 = sdy.sharding_constraint %150 <@mesh, [{}]> : tensor<2xi32>
    %152 = stablehlo.convert %149 : (tensor<2xf32>) -> tensor<2xi32>
    %153 = sdy.sharding_constraint %152 <@mesh, [{}]> : tensor<2xi32>
    %154 = call @_roll_static_101(%153) : (tensor<2xi32>) -> tensor<2xi32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %155 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %156 = "stablehlo.scatter"(%154, %155, %c_40) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
    %157 = call @cumsum_106(%156) : (tensor<2xi32>) -> tensor<2xi32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %158 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_42 = stablehlo.constant dense<0> : tensor<i32>
    %159 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %160 = stablehlo.compare LT, %157, %159, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_43 = stablehlo.constant dense<4> : tensor<i32>
    %161 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %162 = stablehlo.add %157, %161 : tensor<2xi32>
    %163 = stablehlo.select %160, %162, %157 : tensor<2xi1>, tensor<2xi32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %c_44 = stablehlo.constant dense<1> : tensor<i32>
    %165 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %166 = "stablehlo.scatter"(%158, %164, %165) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %200 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %200 : tensor<i32>
    }) : (tensor<4xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<4xi32>
    %167 = call @cumsum_21(%166) : (tensor<4xi32>) -> tensor<4xi32>
    %c_45 = stablehlo.constant dense<1> : tensor<i32>
    %168 = stablehlo.broadcast_in_dim %c_45, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %169 = stablehlo.subtract %167, %168 : tensor<4xi32>
    %170 = call @_take_115(%151, %169) : (tensor<2xi32>, tensor<4xi32>) -> tensor<4xi32>
    %171 = sdy.sharding_constraint %170 <@mesh, [{}]> : tensor<4xi32>
    %172 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %173 = sdy.sharding_constraint %172 <@mesh, [{}]> : tensor<4xi32>
    %174 = stablehlo.compare LT, %69, %173, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %175 = stablehlo.convert %174 : (tensor<4xi1>) -> tensor<4xi32>
    %176 = sdy.sharding_constraint %175 <@mesh, [{}]> : tensor<4xi32>
    %c_46 = stablehlo.constant dense<0> : tensor<i32>
    %177 = stablehlo.reduce(%176 init: %c_46) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
    %178 = sdy.sharding_constraint %177 <@mesh, []> : tensor<i32>
    %179 = stablehlo.negate %178 : tensor<i32>
    %180 = sdy.sharding_constraint %179 <@mesh, []> : tensor<i32>
    %181 = call @_roll_dynamic(%69, %180) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %182 = stablehlo.negate %178 : tensor<i32>
    %183 = sdy.sharding_constraint %182 <@mesh, []> : tensor<i32>
    %184 = call @_roll_dynamic(%171, %183) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %185 = stablehlo.iota dim = 0 : tensor<3xi32>
    %186 = sdy.sharding_constraint %185 <@mesh, [{}]> : tensor<3xi32>
    %187 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %188 = sdy.sharding_constraint %187 <@mesh, [{}]> : tensor<3xi32>
    %189 = stablehlo.compare LE, %186, %188, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %190 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %191 = sdy.sharding_constraint %190 <@mesh, [{}]> : tensor<3xi32>
    %192 = stablehlo.compare GE, %186, %191, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %193 = stablehlo.and %189, %192 : tensor<3xi1>
    %194 = sdy.sharding_constraint %193 <@mesh, [{}]> : tensor<3xi1>
    %c_47 = stablehlo.constant dense<0> : tensor<i32>
    %195 = call @_where_138(%194, %49, %c_47) : (tensor<3xi1>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_48 = stablehlo.constant dense<0> : tensor<i32>
    %196 = stablehlo.reduce(%195 init: %c_48) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %197 = sdy.sharding_constraint %196 <@mesh, []> : tensor<i32>
    %198 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<128x256xf32>) -> tensor<256x128xf32>
    %199 = stablehlo.custom_call @tpu_custom_call(%197, %12, %181, %184, %c, %198, %arg1) {backend_config = "{\22custom_call_config\22: {\22body\22: \22TUzvUgFNTElSMjMuMC4wZ2l0AAFFCQEDBQcBAwkDMQsNDxETFRcZGx0fISMlJykrLS8xMzU3OQMuB7IGIQH7CwcLCwsXGwsLExMXCwsTCxcTEwsLExMLExMTCwsLDwsLCwsLCwsLCxMLCxMTFwsLE2UPDwtTCwsLExMTExMTCwsTExMTEwsLFwsLCwsTExMTExMTExMTEwsLCxMTExMTExMTExMTFxMLCxMbCwsTExMTCwsTFxMLCxMXCwsFC5FhYY0qAgGiBBMTExMTExMTExMTExMXJxMLJwsPC2sLGwuFpQtzCwsLCyMfCx8LIwtzGxsfCxMTHw8TEx8LExMTHw8TFwsfExcLHxMTHxMTHw8TEx8XCxcLEx8PExMfExMfDxMTEx8TExMfEw8fDxMTEx8fExMTHxMTEx8TExMfExMTEx8TEx8TDx8PGwsPFwsXCxMfExMfExMTHxMTHxMTHxMTEx8TExMfEw8fDxMTHxMTHydTEw8fJxMPHxMPHxMPHxMPHxMTDx8LIxMTDx8TDx8TDx8PEw8fDxMTEx8TDycTDxMPEw8TDxMPExMPEw8TDxMPExMTExMfExMfDxMTHxMTEycbC1MXCxcLEx8TEx8TExMnEx8XHwsXCxMnMwsLCxsLExMTJxNTExcfExcfBwVZWQEhDwcbHwsPHwcbKx8vIzszNwL+IwU7HwU9BT8FQQMDH8oCAwPaAqoGBUMFRR0PygQdD2oFAwMf7gIFRwVJHVOqBAVLAwMfKgMdU4oGHVOeBgVNBU8DAylnHU2eAwVRHQmyAx1NEgQdTZoEBVMFVQVXEQkABVkFWwVdBV8FYQVjBWUFZwVpHQWeBAVrBW0dBcYFHQXSBQMDH94FBW8FcR0FPgZhZmZpbmVfbWFwPChkMCkgLT4gKGQwKT4AEQsREQsFBXMjCwUhgAAAAAAAAACAAAAAAAAAAAV1BXcNHR0FvgIdBc4CHQXyAh0FAgMdBRIDHX8eAwV5BXsDAyllHTkuAx1FUgMdBVYDHY1iAwV9BX8DAyluAwWBBYMFhQWHHQmaAx0FogMdBbYDHRvGAx0F1gMdf/oDHQkOBB05OgQdG1YEHQViBB0JlgQFiQWLBY0jAQEBHQW+BB0RxgQdBc4EHRHWBB0b2gQdEeIEHQXmBB0R7gQdBfIEHRH6BAMDH/4EHdECBQWPBZEdEQoFAwMOBRIFBZMFlR0RIgUdGyYFHREuBR3lMgUFlwWZHRE6BQMDKT4FHe9CBQWbBZ0dEUoFAwMpTgUFnwWhI3RwdS5kaW1lbnNpb25fc2VtYW50aWNzPGFyYml0cmFyeT4AI3RwdS5tZW1vcnlfc3BhY2U8c21lbT4AI3RwdS5tZW1vcnlfc3BhY2U8dm1lbT4AI3RwdS5kaW1lbnNpb25fc2VtYW50aWNzPHBhcmFsbGVsPgAjdHB1LmRvdF9kaW1lbnNpb25fbnVtYmVyczxbMV0sIFswXSwgWzBdLCBbMV0sIFswLCAwLCAxLCAxXSwgW10sIFtdPgAdEV4FHQViBR0FbgUdG3YFHQV+BR0FhgUd0Y4FHRuiBR3lqgUd77IFHV3iBR1dIgYdD0IGHU4GUgYDBxk9s44GtbcdXZIGBaMDBVICVgInWgIFpRELJQWnAw9iAmYCN2oCdgJ6An4CZYICZyeGAooCjgIFqQEHAgL7+w0bYWZmaW5lX21hcDwoZDAsIGQxKSAtPiAoZDAsIGQxKT4AYWZmaW5lX21hcDwoZDAsIGQxLCBkMikgLT4gKGQwLCBkMSwgZDIpPgAFqyMLBzEBAAAAAAAAAAEAAAAAAAAAAAAAAAAAAIAFrQWvBbEFswEHkgKaAqICAwU/lgJBawlpAwU/ngJBawltAwU/pgJBqgIJbyMLBzEBAAAAAAAAAIAAAAAAAAAAgAAAAAAAAAADBTdxJ2kDBTdxJ20DBTe6AidvDR8dB8ICHUPGAi0BB4oLFzsRAwEdB9ICHUPWAi0BB4oLQV8FtR054gIdO+YCHUPqAi0BB4oLF18RAQEdB/YCHfoC/gIFty0BB14LFz0dBwYDHQoDDgMFuS0BB0YLFz0dBxYDHQkaAy0BBz4KGT0dgSIDHQkmAy0BB0IKO1ERAQUdOzIDHQk2Ay0BB0IKVWsdPgNCAwW7HUYDSgMFvR0JTgMtAQdCCidzHUcDHQdaAx0JXgMtAQdGCiNRHY9mAx0JagMtAQdOCk9nEQsBHZN2Ax2VegMdCX4DLQEHTgprkR2XhgMdmYoDHQmOAy0BB04KMZMdSZYDHUubLQEHVgoLPx1Pmx0HpgMVqgMxHS+uAy0BBx4EGz8tAQduChGPHQe6AxW+AzEdL8IDLQEHIgQhTx0ZygMVzgMxHS/SAy0BByYEOVEdB9oDFd4DMR0v4gMtAQcmBB1THTnqAx077gMV8gMxHS/2Ay0BByoEE0Edgf4DHQkCBC0BB24KEZcdSQoEHUunLQEHegoLLx1PpwMDGgQeBAW/EQEJHSYEKgQFwR0uBDIEBcMdCTYELQEHAgtDZx07PgQdCUIELQEHAgtDbx2NSgQdj04EHQlSBC0BBwILK3EdGVoEHQleBC0BBwYLbYMdB2YEHQlqBC0BBwoLI1Edk3IEHZV2BB0JegQtAQcSC2+VHZeCBB2ZhgQdCYoELQEHEgsxlx1JkgQdS68tAQcaCws/HU+vHQeiBB2xpgQtAQciCyNDHVWuBB2xsgQtAQcuCw0dAwcZPbO6BLW3IwEJIQEAAAABAAAAAwAAAAAAAAAdB8IEFbsTLQEHWgQbPy0BCYIKI5YKDx0H0gQVvxMtAQdeBCFPHRneBBXDEy0BB2IEOVEdB+oEFccTLQEHYgQdUx0H9gQVyxMtAQdmBBM5EQECBB3TBgUV1RMtAQdmBBNDBcUjAQMJAAAAAB3ZGgUd2x4FFd0TLQEHagQTcx0ZKgUV4RMtAQdqBBOBHec2BRXpEy0BB24EM1kRCxUd8UYFFfMTLQEHbgRdfRELCR33VgUd+VoFFQoCEy0BB24EE38dB2YFFbsVLQEJmgojrgoPHQdyBRW/FR0ZegUVwxUdB4IFFccVHQeKBRXLFR3TkgUV1RUd2ZoFHdueBRXdFR0ZpgUV4RUd564FFekVHfG2BRXzFR33vgUd+cIFFQoCFR0HygUdD84FLQEHtgonNx0H1gUdD9oFLQEHugonNxMPAR1f5gUdD+oFLQEHygoVVR1F8gUdR/YFHQ/6BS0BCb4KJ84KDwMDAgYGBgXHIwsFIQEAAAAAAAAAAAAAAAAAAAAdDgYSBgXJHRYGGgYFyx0PHgYtAQfOChEtHV8mBh0PKgYtAQfeChVVHUUyBh1HNgYdDzoGLQEJ0gon4goPHQc6Ai0BB+oKDS0DAx9KBiUHCQAAAAAFzR1WBloGBc8dD14GLQEJ6go1+goPAwdmBgYCagY9bgY9BdEF0wXVAwN2Bq4GBdcdG34GHRmCBh0PhgYtAQnqCg36Cg8dVToCIwEJIQEAAAABAAAAAgAAAAAAAAAdX5YGHUoCmgYtAQdeCjNpHVWiBh1KAqYGLQEHXgoNLSNhcml0aC5vdmVyZmxvdzxub25lPgAjYXJpdGguZmFzdG1hdGg8bm9uZT4AAQICAxf9AxEBYycFAgQCBA8BCQECBCcFAgQCBAELF/0DBQFjF/8FAgQCBA9uAicFAgQCBAkX/wcFAgQCBA9yAicHBQIEAgQPBRcBAQEFBQURExMXEwEFDwEBAQUFBREFAQEFDwEBAQUFBREHAQEBBDIUBQERA04CBwMBERURA14CBwNxxxcBAwEDAQMFAwUDBQMRAxMDEwMXAxMDBwZ7AwMDBQUGewMBBQkXAwN9FwMBCQd9gwMJBQUbAwOFIQMBFweFDQMBBQUfAwM6AxcDARsGhwMBBx0hIwcGiQMDAyUFBokDAQUJJwMDixcDAQkHi5EDCQUFKwkHcgMrAwkFKRkjBoIDAwkFLS8dBpIDAwEDMQMDLRcDAQkHLSsDCQUzNR8ULQM3CQMPJQMDRgJbAw8LBkYCAwcDcQMDJQsDAwMDJQsDAw0GJQMHBxV1dxMGJQMHA3kTBiUDBwNzIQUlQgIJfRV1dxEALQMBBREALQcGnQMDAwUFBp0DAQUJOQcGnwMDAzsFBp8DAQUHPQMDoSEDAQ8HoQ0DAQU7QQcGowMDA0MFBqMDAQUHRRcH5gMNAwEFRz8DA6UXAwEJB6WDAwkFSUsdBgYEAwEDTQMDMxcDAQkHMysDCQVPUR8UMwNTCQOBEgIHBrkDAwMFBQa5AwEFCXEHBr0DAwNzBQa9AwEFB3UDA8EhAwEPB8ENAwEFc3kHBsUDAwN7BQbFAwEFB30HBskDAwMFBQbJAwEFC4EDA8/NAwElB88NAwEFg4UnAxYF1wMNCwbfAw0Dhw8H3w0DDQWJiwsG4wMNA3cJB+PrAxUFjY8LBu0DDQN/CQft9QMVBY2TKQZSBQMVBZGVBwYOAgMDAwUFBg4CAwEFCZkHBhICAwMDmwUGEgIDAQUHnQMDFgIhAwEPBxYCDQMBBZuhBwYaAgMDA6MFBhoCAwEFB6UHBh4CAwMDBQUGHgIDAQULqQMDIgLNAwElByICDQMBBautJwOWBdcDDQsGJgIDDQOvDwcmAg0DDQWxswsGKgIDDQOfCQcqAusDFQW1twsGLgIDDQOnCQcuAvUDFQW1uykGugUDFQW5vQMDVwsDAwMDVwsDAw0GVwMHBw/BwwMDWQsDAwMDWQsDAw0GWQMHBxHHyQMDMgJbAw8LBjICAwcDzRsG7gUDBwe/xc8tBwoG/gUDBwPRAwM2AlsDDwsGNgIDBwPVGwYuBgMHB5fL1wMDYQsDAwMDYQsDAw0GYQMHBxXb3QMDPgJGBgMHLwc+AmIGAwcH09nhMQd6BnIGAwcF3+MDAyMLAwMDAyMLAwMNBiMDBwcV5+kTBiMDBwPrEwYjAwcD5SEFI0ICCe8V5+kRADMDAQURADMrAyIEFgQDAQMDqSEDARcHqQ0DAQVVVwkHRgSRAwkFBVkDA6shAwEPB6sNAwEFBV0bBocDAQdbBV8HBq0DAwNhBQatAwEFCWMJB24EKwMJBRllIwZ+BAMJBVtnHQaOBAMBA2kDAzUXAwEJBzUrAwkFa20fFDUDbwkDEy0DA1ELAwMDA1ELAwMNBlEDBwcVcXMDAx0LAwMDAx0LAwMDAx0LAwMNBh0DGQkTd3l7EwYdAwcDfRMGHQMZA3UhBR22BAuBE3d5exEANQMBBREANRkAAxURA64CBwMVEw8BAwEDAQMFAwUDBQMRAwcGeQMDAwUFBnkDAQULDwMDAxcDARkEAwURAxURA7ICBwMVEw8BAwEDAQMFAwUDBQMRAwcGdwMDAwUFBncDAQULDwMDAxcDARkEAwURARURA7YCBwMbHw8BAwEDAQMFAwUDBQMRAwcGcwMDAwUFBnMDAQUJDwMDdQsDAwUGdQMBBQ0TFwfeAg0DAQURFQMDAxcDARkEAwcXAwEGAwEFAQCeFdkTHR0lGRsVFxkXGx0JCQtJSR0dCyMhIykPLVEJCwcJBwkLDQkLESlXBwkHCQcJBwkZGRkjJQsNCw0rLRMVSR0lCQsdIRUTDQsJIUUrCQsPFxcdKRcTFxUjDxkbGRcVJRUXGSMXIxkfDw0JHRFidWlsdGluAHN0YWJsZV9tb3NhaWMAdHB1AGFyaXRoAG1vZHVsZQBhcml0aC5jb25zdGFudABtZW1yZWYubG9hZABhcml0aC5pbmRleF9jYXN0AGFyaXRoLmNtcGkAdmVjdG9yLmJyb2FkY2FzdAB2ZWN0b3IubG9hZABhcml0aC5hZGRpAHNjZi55aWVsZAB2ZWN0b3Iuc2hhcGVfY2FzdABmdW5jLmZ1bmMAYXJpdGguc3ViaQBmdW5jLnJldHVybgBhcml0aC5zZWxlY3QAYXJpdGguZXh0dWkAc2NmLmlmAHRwdS52ZWN0b3Jfc3RvcmUAYXJpdGgub3JpAGFyaXRoLm11bGkAdHB1LmlvdGEAYXJpdGguYW5kaQB0cHUuaXRlcmF0aW9uX2JvdW5kAHRwdS50cmFuc3Bvc2UAdHB1Lm1hdG11bABhcml0aC5hZGRmAGdtbS5weQBnZXQ6AGdldAB0Z21tLjxsb2NhbHM+Lmtlcm5lbAB0Z21tLjxsb2NhbHM+Lmtlcm5lbC48bG9jYWxzPi5fZG8AX2dldF9zdG9yZV9tYXNrAGFkZABhZGQ6AHZhbHVlAHN5bV9uYW1lAHByZWRpY2F0ZQBfZ2V0X2dyb3VwX3NpemUAZnVuY3Rpb25fdHlwZQBzdWI6AHN1YgB0cmFuc2Zvcm1faW5kaWNlcwB3aW5kb3dfYm91bmRzAHRnbW0uPGxvY2Fscz4ub3V0X3RyYW5zZm9ybV9pbmRpY2VzAHNlbGVjdF9uOgBzZWxlY3RfbgBjb252ZXJ0X2VsZW1lbnRfdHlwZToAY29udmVydF9lbGVtZW50X3R5cGUAY29uZDoAY29uZABzd2FwOgBzd2FwAGJyb2FkY2FzdF9pbl9kaW06AGJyb2FkY2FzdF9pbl9kaW0AdHJhbnNmb3JtXzAAdHJhbnNmb3JtXzEAdHJhbnNmb3JtXzIAZ3Q6AGd0AGVxOgBlcQBuZToAbmUAb3I6AG9yAHRnbW0uPGxvY2Fscz4ua2VybmVsLjxsb2NhbHM+Ll9zdG9yZV9hY2N1bQBvcGVyYW5kU2VnbWVudFNpemVzAHN0cmlkZXMAbXVsOgBtdWwAaW90YToAaW90YQBnZToAZ2UAbHQ6AGx0AGFuZDoAYW5kAHRnbW0uPGxvY2Fscz4ua2VybmVsLjxsb2NhbHM+Ll96ZXJvX2FjYwBzdGFibGVfbW9zYWljLnZlcnNpb24Aa2VybmVsAGRpbWVuc2lvbl9zZW1hbnRpY3MAaXRlcmF0aW9uX2JvdW5kcwBzY2FsYXJfcHJlZmV0Y2gAc2NyYXRjaF9vcGVyYW5kcwBtYWluAHdpbmRvd19wYXJhbXMAb3ZlcmZsb3dGbGFncwB0Z21tLjxsb2NhbHM+LnJoc190cmFuc2Zvcm1faW5kaWNlcwB0Z21tLjxsb2NhbHM+Lmxoc190cmFuc2Zvcm1faW5kaWNlcwBqaXQ6AGppdABkaW0AbnVtX3Byb2dyYW1zOgBudW1fcHJvZ3JhbXMAZGltZW5zaW9ucwBwZXJtdXRhdGlvbgB0cmFuc3Bvc2U6AHRyYW5zcG9zZQBkb3RfZ2VuZXJhbDoAZG90X2dlbmVyYWwAZGltZW5zaW9uX251bWJlcnMAdHJhbnNwb3NlX2xocwB0cmFuc3Bvc2VfcmhzAGZhc3RtYXRoAA==\22, \22cost_estimate\22: {\0A\22bytes_accessed\22:458752,\0A\22flops\22:8388608,\0A\22remote_bytes_transferred\22:0,\0A\22transcendentals\22:0\0A}, \22serialization_format\22: 1, \22needs_layout_passes\22: true}}", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[2, 1, 0]> : tensor<3xindex>]} : (tensor<i32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<1xi32>, tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<3x128x128xf32>
    return %199 : tensor<3x128x128xf32>
  }
  func.func private @cumsum(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = call @cumsum_0(%arg0) : (tensor<3xi32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %1 : tensor<3xi32>
  }
  func.func private @floor_divide(%arg0: tensor<3xi32>, %arg1: tensor<i32>) -> tensor<3xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<3xi32>
    %3 = stablehlo.divide %arg0, %2 : tensor<3xi32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}]> : tensor<3xi32>
    %5 = stablehlo.sign %arg0 : tensor<3xi32>
    %6 = stablehlo.sign %0 : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{}]> : tensor<3xi32>
    %9 = stablehlo.compare NE, %5, %8, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %10 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %11 = sdy.sharding_constraint %10 <@mesh, [{}]> : tensor<3xi32>
    %12 = stablehlo.remainder %arg0, %11 : tensor<3xi32>
    %13 = sdy.sharding_constraint %12 <@mesh, [{}]> : tensor<3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %15 = sdy.sharding_constraint %14 <@mesh, [{}]> : tensor<3xi32>
    %16 = stablehlo.compare NE, %13, %15, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %17 = stablehlo.and %9, %16 : tensor<3xi1>
    %18 = sdy.sharding_constraint %17 <@mesh, [{}]> : tensor<3xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %20 = sdy.sharding_constraint %19 <@mesh, [{}]> : tensor<3xi32>
    %21 = stablehlo.subtract %4, %20 : tensor<3xi32>
    %22 = sdy.sharding_constraint %21 <@mesh, [{}]> : tensor<3xi32>
    %23 = call @_where(%18, %22, %4) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    return %23 : tensor<3xi32>
  }
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<3xi32>
    return %1 : tensor<3xi32>
  }
  func.func private @_where_6(%arg0: tensor<3xi1>, %arg1: tensor<i32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<3xi32>
    %3 = stablehlo.select %arg0, %2, %arg2 : tensor<3xi1>, tensor<3xi32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}]> : tensor<3xi32>
    return %4 : tensor<3xi32>
  }
  func.func private @_roll_static(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.slice %arg0 [2:3] : (tensor<3xi32>) -> tensor<1xi32>
    %1 = stablehlo.slice %arg0 [0:2] : (tensor<3xi32>) -> tensor<2xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
    return %2 : tensor<3xi32>
  }
  func.func private @cumsum_12(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = call @cumsum_13(%arg0) : (tensor<3xi32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @cumsum_13(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %1 : tensor<3xi32>
  }
  func.func private @cumsum_21(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %0 = call @cumsum_22(%arg0) : (tensor<4xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @cumsum_22(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    return %1 : tensor<4xi32>
  }
  func.func private @_take(%arg0: tensor<3xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4xi32>
    %4 = call @_where_27(%1, %3, %arg1) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<4x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<4x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<4x1xi1>, tensor<i1>) -> tensor<4xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xi32>, tensor<4x1xi32>) -> tensor<4xi32>
    %c_4 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %15 = stablehlo.select %12, %13, %14 : tensor<4xi1>, tensor<4xi32>
    return %15 : tensor<4xi32>
  }
  func.func private @_where_27(%arg0: tensor<4xi1>, %arg1: tensor<4xi32>, %arg2: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @remainder(%arg0: tensor<3xi32>, %arg1: tensor<i32>) -> tensor<3xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = sdy.sharding_constraint %0 <@mesh, []> : tensor<i32>
    %2 = sdy.sharding_constraint %c <@mesh, []> : tensor<i32>
    %3 = stablehlo.compare EQ, %1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %4 = call @_where_37(%3, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = sdy.sharding_constraint %5 <@mesh, [{}]> : tensor<3xi32>
    %7 = stablehlo.remainder %arg0, %6 : tensor<3xi32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{}]> : tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %10 = sdy.sharding_constraint %9 <@mesh, [{}]> : tensor<3xi32>
    %11 = stablehlo.compare NE, %8, %10, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %13 = sdy.sharding_constraint %12 <@mesh, [{}]> : tensor<3xi32>
    %14 = stablehlo.compare LT, %8, %13, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %15 = sdy.sharding_constraint %c_3 <@mesh, []> : tensor<i32>
    %16 = stablehlo.compare LT, %4, %15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %18 = sdy.sharding_constraint %17 <@mesh, [{}]> : tensor<3xi1>
    %19 = stablehlo.compare NE, %14, %18, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %20 = stablehlo.and %19, %11 : tensor<3xi1>
    %21 = sdy.sharding_constraint %20 <@mesh, [{}]> : tensor<3xi1>
    %22 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %23 = sdy.sharding_constraint %22 <@mesh, [{}]> : tensor<3xi32>
    %24 = stablehlo.add %8, %23 : tensor<3xi32>
    %25 = sdy.sharding_constraint %24 <@mesh, [{}]> : tensor<3xi32>
    %26 = stablehlo.select %21, %25, %8 : tensor<3xi1>, tensor<3xi32>
    %27 = sdy.sharding_constraint %26 <@mesh, [{}]> : tensor<3xi32>
    return %27 : tensor<3xi32>
  }
  func.func private @_where_37(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    %1 = sdy.sharding_constraint %0 <@mesh, []> : tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @_where_45(%arg0: tensor<3xi1>, %arg1: tensor<i32>, %arg2: tensor<3xi1>) -> tensor<3xi32> {
    %0 = stablehlo.convert %arg2 : (tensor<3xi1>) -> tensor<3xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<3xi32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}]> : tensor<3xi32>
    %4 = stablehlo.select %arg0, %3, %1 : tensor<3xi1>, tensor<3xi32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}]> : tensor<3xi32>
    return %5 : tensor<3xi32>
  }
  func.func private @_where_49(%arg0: tensor<3xi32>, %arg1: tensor<i32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = sdy.sharding_constraint %c <@mesh, []> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<3xi32>
    %3 = stablehlo.compare NE, %arg0, %2, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %4 = stablehlo.convert %arg1 : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = sdy.sharding_constraint %5 <@mesh, [{}]> : tensor<3xi32>
    %7 = stablehlo.select %3, %6, %arg2 : tensor<3xi1>, tensor<3xi32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{}]> : tensor<3xi32>
    return %8 : tensor<3xi32>
  }
  func.func private @_ptp(%arg0: tensor<2xf32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.minimum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %2 = sdy.sharding_constraint %0 <@mesh, []> : tensor<f32>
    %3 = sdy.sharding_constraint %1 <@mesh, []> : tensor<f32>
    %4 = stablehlo.subtract %2, %3 : tensor<f32>
    %5 = sdy.sharding_constraint %4 <@mesh, []> : tensor<f32>
    return %5 : tensor<f32>
  }
  func.func private @_where_59(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    %1 = sdy.sharding_constraint %0 <@mesh, []> : tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @_linspace(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<2xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<2xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}]> : tensor<2xf32>
    %4 = stablehlo.divide %1, %3 : tensor<2xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}]> : tensor<2xf32>
    %6 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<1xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{}]> : tensor<1xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %9 = sdy.sharding_constraint %8 <@mesh, [{}]> : tensor<2xf32>
    %10 = stablehlo.subtract %9, %5 : tensor<2xf32>
    %11 = sdy.sharding_constraint %10 <@mesh, [{}]> : tensor<2xf32>
    %12 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1xf32>) -> tensor<2xf32>
    %13 = sdy.sharding_constraint %12 <@mesh, [{}]> : tensor<2xf32>
    %14 = stablehlo.multiply %13, %11 : tensor<2xf32>
    %15 = sdy.sharding_constraint %14 <@mesh, [{}]> : tensor<2xf32>
    %16 = stablehlo.reshape %arg1 : (tensor<f32>) -> tensor<1xf32>
    %17 = sdy.sharding_constraint %16 <@mesh, [{}]> : tensor<1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<1xf32>) -> tensor<2xf32>
    %19 = sdy.sharding_constraint %18 <@mesh, [{}]> : tensor<2xf32>
    %20 = stablehlo.multiply %19, %5 : tensor<2xf32>
    %21 = sdy.sharding_constraint %20 <@mesh, [{}]> : tensor<2xf32>
    %22 = stablehlo.add %15, %21 : tensor<2xf32>
    %23 = sdy.sharding_constraint %22 <@mesh, [{}]> : tensor<2xf32>
    %24 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %25 = sdy.sharding_constraint %24 <@mesh, [{}]> : tensor<1xf32>
    %26 = stablehlo.concatenate %23, %25, dim = 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
    %27 = sdy.sharding_constraint %26 <@mesh, [{}]> : tensor<3xf32>
    return %27 : tensor<3xf32>
  }
  func.func private @searchsorted(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xi32> {
    %0 = call @_searchsorted_scan_impl(%arg0, %arg1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @_searchsorted_scan_impl(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xi32> {
    %0 = call @_searchsorted_scan_impl_70(%arg0, %arg1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @_searchsorted_scan_impl_70(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %c_0 = stablehlo.constant dense<3> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %c_1, %iterArg_4 = %0, %iterArg_5 = %1) : tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<3xui32>, tensor<3xui32>
    cond {
      %c_6 = stablehlo.constant dense<2> : tensor<i32>
      %8 = sdy.sharding_constraint %iterArg_3 <@mesh, []> : tensor<i32>
      %9 = sdy.sharding_constraint %c_6 <@mesh, []> : tensor<i32>
      %10 = stablehlo.compare LT, %8, %9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %8:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_4, %iterArg_5) : (tensor<3xf32>, tensor<3xf32>, tensor<3xui32>, tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %9 = sdy.sharding_constraint %iterArg_3 <@mesh, []> : tensor<i32>
      %10 = sdy.sharding_constraint %c_6 <@mesh, []> : tensor<i32>
      %11 = stablehlo.add %9, %10 : tensor<i32>
      %12 = sdy.sharding_constraint %11 <@mesh, []> : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %12, %8#0, %8#1 : tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<3xui32>, tensor<3xui32>
    }
    %3 = sdy.sharding_constraint %2#2 <@mesh, []> : tensor<i32>
    %4 = sdy.sharding_constraint %2#3 <@mesh, [{}]> : tensor<3xui32>
    %5 = sdy.sharding_constraint %2#4 <@mesh, [{}]> : tensor<3xui32>
    %6 = stablehlo.convert %5 : (tensor<3xui32>) -> tensor<3xi32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{}]> : tensor<3xi32>
    return %7 : tensor<3xi32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xui32>, %arg3: tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>) {
    %0 = sdy.sharding_constraint %arg3 <@mesh, [{}]> : tensor<3xui32>
    %1 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<3xui32>
    %2 = stablehlo.subtract %0, %1 : tensor<3xui32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}]> : tensor<3xui32>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %4 = call @floor_divide_74(%3, %c) : (tensor<3xui32>, tensor<i32>) -> tensor<3xui32>
    %5 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<3xui32>
    %6 = stablehlo.add %5, %4 : tensor<3xui32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{}]> : tensor<3xui32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<3xui32>) -> tensor<3x1xui32>
    %9 = sdy.sharding_constraint %8 <@mesh, [{}, {}]> : tensor<3x1xui32>
    %10 = "stablehlo.gather"(%arg0, %9) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<3x1xui32>) -> tensor<3x1xf32>
    %11 = sdy.sharding_constraint %10 <@mesh, [{}, {}]> : tensor<3x1xf32>
    %12 = stablehlo.reshape %11 : (tensor<3x1xf32>) -> tensor<3xf32>
    %13 = sdy.sharding_constraint %12 <@mesh, [{}]> : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = sdy.sharding_constraint %cst <@mesh, []> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %16 = sdy.sharding_constraint %15 <@mesh, [{}]> : tensor<3xf32>
    %17 = stablehlo.compare EQ, %arg1, %16, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = sdy.sharding_constraint %cst_0 <@mesh, []> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %20 = sdy.sharding_constraint %19 <@mesh, [{}]> : tensor<3xf32>
    %21 = stablehlo.select %17, %20, %arg1 : tensor<3xi1>, tensor<3xf32>
    %22 = sdy.sharding_constraint %21 <@mesh, [{}]> : tensor<3xf32>
    %23 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %24 = sdy.sharding_constraint %cst_1 <@mesh, []> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %26 = sdy.sharding_constraint %25 <@mesh, [{}]> : tensor<3xf32>
    %27 = stablehlo.select %23, %26, %22 : tensor<3xi1>, tensor<3xf32>
    %28 = sdy.sharding_constraint %27 <@mesh, [{}]> : tensor<3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = sdy.sharding_constraint %cst_2 <@mesh, []> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %31 = sdy.sharding_constraint %30 <@mesh, [{}]> : tensor<3xf32>
    %32 = stablehlo.compare EQ, %13, %31, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = sdy.sharding_constraint %cst_3 <@mesh, []> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %35 = sdy.sharding_constraint %34 <@mesh, [{}]> : tensor<3xf32>
    %36 = stablehlo.select %32, %35, %13 : tensor<3xi1>, tensor<3xf32>
    %37 = sdy.sharding_constraint %36 <@mesh, [{}]> : tensor<3xf32>
    %38 = stablehlo.compare NE, %13, %13, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %39 = sdy.sharding_constraint %cst_4 <@mesh, []> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %41 = sdy.sharding_constraint %40 <@mesh, [{}]> : tensor<3xf32>
    %42 = stablehlo.select %38, %41, %37 : tensor<3xi1>, tensor<3xf32>
    %43 = sdy.sharding_constraint %42 <@mesh, [{}]> : tensor<3xf32>
    %44 = stablehlo.compare LT, %28, %43, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %45 = stablehlo.select %44, %arg2, %7 : tensor<3xi1>, tensor<3xui32>
    %46 = sdy.sharding_constraint %45 <@mesh, [{}]> : tensor<3xui32>
    %47 = stablehlo.select %44, %7, %arg3 : tensor<3xi1>, tensor<3xui32>
    %48 = sdy.sharding_constraint %47 <@mesh, [{}]> : tensor<3xui32>
    return %46, %48 : tensor<3xui32>, tensor<3xui32>
  }
  func.func private @floor_divide_74(%arg0: tensor<3xui32>, %arg1: tensor<i32>) -> tensor<3xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<3xui32>
    %3 = stablehlo.divide %arg0, %2 : tensor<3xui32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}]> : tensor<3xui32>
    return %4 : tensor<3xui32>
  }
  func.func private @_roll_static_101(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.slice %arg0 [1:2] : (tensor<2xi32>) -> tensor<1xi32>
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    return %2 : tensor<2xi32>
  }
  func.func private @cumsum_106(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %0 = call @cumsum_107(%arg0) : (tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func private @cumsum_107(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    return %1 : tensor<2xi32>
  }
  func.func private @_take_115(%arg0: tensor<2xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4xi32>
    %4 = call @_where_27(%1, %3, %arg1) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<4x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<4x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<4x1xi1>, tensor<i1>) -> tensor<4xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<2xi32>, tensor<4x1xi32>) -> tensor<4xi32>
    %c_4 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %15 = stablehlo.select %12, %13, %14 : tensor<4xi1>, tensor<4xi32>
    return %15 : tensor<4xi32>
  }
  func.func private @_roll_dynamic(%arg0: tensor<4xi32>, %arg1: tensor<i32>) -> tensor<4xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<1xi32>
    %2 = stablehlo.slice %1 [0:1] : (tensor<1xi32>) -> tensor<1xi32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}]> : tensor<1xi32>
    %4 = stablehlo.reshape %3 : (tensor<1xi32>) -> tensor<i32>
    %5 = sdy.sharding_constraint %4 <@mesh, []> : tensor<i32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = sdy.sharding_constraint %c <@mesh, []> : tensor<i32>
    %7 = sdy.sharding_constraint %c_0 <@mesh, []> : tensor<i32>
    %8 = stablehlo.maximum %6, %7 : tensor<i32>
    %9 = sdy.sharding_constraint %8 <@mesh, []> : tensor<i32>
    %10 = call @remainder_123(%5, %9) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %11 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
    %12 = sdy.sharding_constraint %11 <@mesh, [{}]> : tensor<8xi32>
    %c_1 = stablehlo.constant dense<4> : tensor<i32>
    %13 = sdy.sharding_constraint %c_1 <@mesh, []> : tensor<i32>
    %14 = stablehlo.subtract %13, %10 : tensor<i32>
    %15 = sdy.sharding_constraint %14 <@mesh, []> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %16 = sdy.sharding_constraint %c_2 <@mesh, []> : tensor<i32>
    %17 = stablehlo.compare LT, %15, %16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<8> : tensor<i32>
    %18 = sdy.sharding_constraint %c_3 <@mesh, []> : tensor<i32>
    %19 = stablehlo.add %15, %18 : tensor<i32>
    %20 = sdy.sharding_constraint %19 <@mesh, []> : tensor<i32>
    %21 = stablehlo.select %17, %20, %15 : tensor<i1>, tensor<i32>
    %22 = sdy.sharding_constraint %21 <@mesh, []> : tensor<i32>
    %23 = stablehlo.dynamic_slice %12, %22, sizes = [4] : (tensor<8xi32>, tensor<i32>) -> tensor<4xi32>
    %24 = sdy.sharding_constraint %23 <@mesh, [{}]> : tensor<4xi32>
    return %24 : tensor<4xi32>
  }
  func.func private @remainder_123(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = sdy.sharding_constraint %c <@mesh, []> : tensor<i32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = sdy.sharding_constraint %c_0 <@mesh, []> : tensor<i32>
    %3 = call @_where_126(%1, %2, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<i32>
    %5 = sdy.sharding_constraint %4 <@mesh, []> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6 = sdy.sharding_constraint %c_1 <@mesh, []> : tensor<i32>
    %7 = stablehlo.compare NE, %5, %6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = sdy.sharding_constraint %c_2 <@mesh, []> : tensor<i32>
    %9 = stablehlo.compare LT, %5, %8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %10 = sdy.sharding_constraint %c_3 <@mesh, []> : tensor<i32>
    %11 = stablehlo.compare LT, %3, %10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %12 = stablehlo.compare NE, %9, %11, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %13 = stablehlo.and %12, %7 : tensor<i1>
    %14 = sdy.sharding_constraint %13 <@mesh, []> : tensor<i1>
    %15 = stablehlo.add %5, %3 : tensor<i32>
    %16 = sdy.sharding_constraint %15 <@mesh, []> : tensor<i32>
    %17 = stablehlo.select %14, %16, %5 : tensor<i1>, tensor<i32>
    %18 = sdy.sharding_constraint %17 <@mesh, []> : tensor<i32>
    return %18 : tensor<i32>
  }
  func.func private @_where_126(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    %1 = sdy.sharding_constraint %0 <@mesh, []> : tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @_where_138(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<i32>) -> tensor<3xi32> {
    %0 = stablehlo.convert %arg2 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<3xi32>
    %3 = stablehlo.select %arg0, %arg1, %2 : tensor<3xi1>, tensor<3xi32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}]> : tensor<3xi32>
    return %4 : tensor<3xi32>
  }
}

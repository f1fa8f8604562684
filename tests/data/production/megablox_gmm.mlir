module @jit attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1]>
  func.func public @main(%arg0: tensor<256x128xf32>, %arg1: tensor<3x128x128xf32>, %arg2: tensor<3xi32>) -> (tensor<256x128xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = call @gmm(%arg0, %arg1, %arg2) : (tensor<256x128xf32>, tensor<3x128x128xf32>, tensor<3xi32>) -> tensor<256x128xf32>
    return %0 : tensor<256x128xf32>
  }
  func.func private @gmm(%arg0: tensor<256x128xf32>, %arg1: tensor<3x128x128xf32>, %arg2: tensor<3xi32>) -> tensor<256x128xf32> {
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
    %45 = stablehlo.iota dim = 0 : tensor<3xi32>
    %46 = sdy.sharding_constraint %45 <@mesh, [{}]> : tensor<3xi32>
    %47 = call @_roll_static(%44) : (tensor<3xi32>) -> tensor<3xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %49 = "stablehlo.scatter"(%47, %48, %c_14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<3xi32>, tensor<1xi32>, tensor<i32>) -> tensor<3xi32>
    %50 = call @cumsum_12(%49) : (tensor<3xi32>) -> tensor<3xi32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %51 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %52 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %53 = stablehlo.compare LT, %50, %52, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_17 = stablehlo.constant dense<4> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %55 = stablehlo.add %50, %54 : tensor<3xi32>
    %56 = stablehlo.select %53, %55, %50 : tensor<3xi1>, tensor<3xi32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %c_18 = stablehlo.constant dense<1> : tensor<i32>
    %58 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %59 = "stablehlo.scatter"(%51, %57, %58) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %189 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %189 : tensor<i32>
    }) : (tensor<4xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %60 = call @cumsum_21(%59) : (tensor<4xi32>) -> tensor<4xi32>
    %c_19 = stablehlo.constant dense<1> : tensor<i32>
    %61 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %62 = stablehlo.subtract %60, %61 : tensor<4xi32>
    %63 = call @_take(%46, %62) : (tensor<3xi32>, tensor<4xi32>) -> tensor<4xi32>
    %64 = sdy.sharding_constraint %63 <@mesh, [{}]> : tensor<4xi32>
    %65 = stablehlo.slice %12 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %66 = sdy.sharding_constraint %65 <@mesh, [{}]> : tensor<3xi32>
    %c_20 = stablehlo.constant dense<128> : tensor<i32>
    %67 = call @remainder(%66, %c_20) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %68 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %69 = sdy.sharding_constraint %68 <@mesh, [{}]> : tensor<3xi32>
    %70 = stablehlo.compare EQ, %67, %69, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %71 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<3xi32>
    %72 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %73 = sdy.sharding_constraint %72 <@mesh, [{}]> : tensor<3xi32>
    %74 = stablehlo.compare EQ, %71, %73, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %75 = stablehlo.or %70, %74 : tensor<3xi1>
    %76 = sdy.sharding_constraint %75 <@mesh, [{}]> : tensor<3xi1>
    %77 = stablehlo.slice %12 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %78 = sdy.sharding_constraint %77 <@mesh, [{}]> : tensor<3xi32>
    %c_23 = stablehlo.constant dense<128> : tensor<i32>
    %79 = call @floor_divide(%78, %c_23) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_24 = stablehlo.constant dense<2> : tensor<i32>
    %80 = call @_where_6(%76, %c_24, %79) : (tensor<3xi1>, tensor<i32>, tensor<3xi32>) -> tensor<3xi32>
    %81 = stablehlo.convert %80 : (tensor<3xi32>) -> tensor<3xf32>
    %82 = sdy.sharding_constraint %81 <@mesh, [{}]> : tensor<3xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %84 = sdy.sharding_constraint %83 <@mesh, [{}]> : tensor<3xf32>
    %85 = call @_ptp(%cst) : (tensor<2xf32>) -> tensor<f32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = sdy.sharding_constraint %cst_26 <@mesh, []> : tensor<f32>
    %87 = stablehlo.compare EQ, %85, %86, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %88 = stablehlo.slice %cst [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %89 = stablehlo.reshape %88 : (tensor<1xf32>) -> tensor<f32>
    %cst_27 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %90 = sdy.sharding_constraint %89 <@mesh, []> : tensor<f32>
    %91 = sdy.sharding_constraint %cst_27 <@mesh, []> : tensor<f32>
    %92 = stablehlo.subtract %90, %91 : tensor<f32>
    %93 = sdy.sharding_constraint %92 <@mesh, []> : tensor<f32>
    %94 = stablehlo.slice %cst [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %95 = stablehlo.reshape %94 : (tensor<1xf32>) -> tensor<f32>
    %96 = call @_where_51(%87, %93, %95) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %97 = call @_ptp(%cst) : (tensor<2xf32>) -> tensor<f32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = sdy.sharding_constraint %cst_28 <@mesh, []> : tensor<f32>
    %99 = stablehlo.compare EQ, %97, %98, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %100 = stablehlo.slice %cst [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %101 = stablehlo.reshape %100 : (tensor<1xf32>) -> tensor<f32>
    %cst_29 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %102 = sdy.sharding_constraint %101 <@mesh, []> : tensor<f32>
    %103 = sdy.sharding_constraint %cst_29 <@mesh, []> : tensor<f32>
    %104 = stablehlo.add %102, %103 : tensor<f32>
    %105 = sdy.sharding_constraint %104 <@mesh, []> : tensor<f32>
    %106 = stablehlo.slice %cst [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %107 = stablehlo.reshape %106 : (tensor<1xf32>) -> tensor<f32>
    %108 = call @_where_51(%99, %105, %107) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %109 = call @_linspace(%96, %108) : (tensor<f32>, tensor<f32>) -> tensor<3xf32>
    %110 = call @searchsorted(%109, %82) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi32>
    %111 = stablehlo.slice %109 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %112 = sdy.sharding_constraint %111 <@mesh, [{}]> : tensor<1xf32>
    %113 = stablehlo.reshape %112 : (tensor<1xf32>) -> tensor<f32>
    %114 = sdy.sharding_constraint %113 <@mesh, []> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %116 = sdy.sharding_constraint %115 <@mesh, [{}]> : tensor<3xf32>
    %117 = stablehlo.compare EQ, %82, %116, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %c_30 = stablehlo.constant dense<2> : tensor<i32>
    %118 = call @_where_6(%117, %c_30, %110) : (tensor<3xi1>, tensor<i32>, tensor<3xi32>) -> tensor<3xi32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %120 = sdy.sharding_constraint %119 <@mesh, [{}]> : tensor<3xf32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %121 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %122 = sdy.sharding_constraint %121 <@mesh, [{}]> : tensor<3xi32>
    %123 = stablehlo.compare LT, %118, %122, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_33 = stablehlo.constant dense<3> : tensor<i32>
    %124 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %125 = sdy.sharding_constraint %124 <@mesh, [{}]> : tensor<3xi32>
    %126 = stablehlo.add %118, %125 : tensor<3xi32>
    %127 = sdy.sharding_constraint %126 <@mesh, [{}]> : tensor<3xi32>
    %128 = stablehlo.select %123, %127, %118 : tensor<3xi1>, tensor<3xi32>
    %129 = sdy.sharding_constraint %128 <@mesh, [{}]> : tensor<3xi32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %131 = sdy.sharding_constraint %130 <@mesh, [{}, {}]> : tensor<3x1xi32>
    %132 = "stablehlo.scatter"(%120, %131, %84) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %189 = sdy.sharding_constraint %arg3 <@mesh, []> : tensor<f32>
      %190 = sdy.sharding_constraint %arg4 <@mesh, []> : tensor<f32>
      %191 = stablehlo.add %189, %190 : tensor<f32>
      %192 = sdy.sharding_constraint %191 <@mesh, []> : tensor<f32>
      stablehlo.return %192 : tensor<f32>
    }) : (tensor<3xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<3xf32>
    %133 = sdy.sharding_constraint %132 <@mesh, [{}]> : tensor<3xf32>
    %134 = stablehlo.slice %133 [1:3] : (tensor<3xf32>) -> tensor<2xf32>
    %135 = sdy.sharding_constraint %134 <@mesh, [{}]> : tensor<2xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %137 = sdy.sharding_constraint %136 <@mesh, [{}]> : tensor<2xf32>
    %138 = stablehlo.add %135, %137 : tensor<2xf32>
    %139 = sdy.sharding_constraint %138 <@mesh, [{}]> : tensor<2xf32>
    %140 = stablehlo.iota dim = 0 : tensor<2xi32>
    %141 = sdy.sharding_constraint %140 <@mesh, [{}]> : tensor<2xi32>
    %142 = stablehlo.convert %139 : (tensor<2xf32>) -> tensor<2xi32>
    %143 = sdy.sharding_constraint %142 <@mesh, [{}]> : tensor<2xi32>
    %144 = call @_roll_static_93(%143) : (tensor<2xi32>) -> tensor<2xi32>
    %c_35 = stablehlo.constant dense<0> : tensor<i32>
    %145 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %146 = "stablehlo.scatter"(%144, %145, %c_36) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
    %147 = call @cumsum_98(%146) : (tensor<2xi32>) -> tensor<2xi32>
    %c_37 = stablehlo.constant dense<0> : tensor<i32>
    %148 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %149 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %150 = stablehlo.compare LT, %147, %149, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_39 = stablehlo.constant dense<4> : tensor<i32>
    %151 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %152 = stablehlo.add %147, %151 : tensor<2xi32>
    %153 = stablehlo.select %150, %152, %147 : tensor<2xi1>, tensor<2xi32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %c_40 = stablehlo.constant dense<1> : tensor<i32>
    %155 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %156 = "stablehlo.scatter"(%148, %154, %155) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %189 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %189 : tensor<i32>
    }) : (tensor<4xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<4xi32>
    %157 = call @cumsum_21(%156) : (tensor<4xi32>) -> tensor<4xi32>
    %c_41 = stablehlo.constant dense<1> : tensor<i32>
    %158 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %159 = stablehlo.subtract %157, %158 : tensor<4xi32>
    %160 = call @_take_107(%141, %159) : (tensor<2xi32>, tensor<4xi32>) -> tensor<4xi32>
    %161 = sdy.sharding_constraint %160 <@mesh, [{}]> : tensor<4xi32>
    %162 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %163 = sdy.sharding_constraint %162 <@mesh, [{}]> : tensor<4xi32>
    %164 = stablehlo.compare LT, %64, %163, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %165 = stablehlo.convert %164 : (tensor<4xi1>) -> tensor<4xi32>
    %166 = sdy.sharding_constraint %165 <@mesh, [{}]> : tensor<4xi32>
    %c_42 = stablehlo.constant dense<0> : tensor<i32>
    %167 = stablehlo.reduce(%166 init: %c_42) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
    %168 = sdy.sharding_constraint %167 <@mesh, []> : tensor<i32>
    %169 = stablehlo.negate %168 : tensor<i32>
    %170 = sdy.sharding_constraint %169 <@mesh, []> : tensor<i32>
    %171 = call @_roll_dynamic(%64, %170) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %172 = stablehlo.negate %168 : tensor<i32>
    %173 = sdy.sharding_constraint %172 <@mesh, []> : tensor<i32>
    %174 = call @_roll_dynamic(%161, %173) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %175 = stablehlo.iota dim = 0 : tensor<3xi32>
    %176 = sdy.sharding_constraint %175 <@mesh, [{}]> : tensor<3xi32>
    %177 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %178 = sdy.sharding_constraint %177 <@mesh, [{}]> : tensor<3xi32>
    %179 = stablehlo.compare LE, %176, %178, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %180 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %181 = sdy.sharding_constraint %180 <@mesh, [{}]> : tensor<3xi32>
    %182 = stablehlo.compare GE, %176, %181, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %183 = stablehlo.and %179, %182 : tensor<3xi1>
    %184 = sdy.sharding_constraint %183 <@mesh, [{}]> : tensor<3xi1>
    %c_43 = stablehlo.constant dense<0> : tensor<i32>
    %185 = call @_where_130(%184, %44, %c_43) : (tensor<3xi1>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %186 = stablehlo.reduce(%185 init: %c_44) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %187 = sdy.sharding_constraint %186 <@mesh, []> : tensor<i32>
    %188 = stablehlo.custom_call @tpu_custom_call(%187, %12, %171, %174, %c, %arg0, %arg1) {backend_config = "{\22custom_call_config\22: {\22body\22: \22TUzvUgFNTElSMjMuMC4wZ2l0AAE/CQEDBQcBAwkDKwsNDxETFRcZGx0fISMlJykrLS8xMwPSBE4EIQH3BwsTCwsTCxMTEwsTCxMTCxMTCxMLEwsLFwszExMLCwsPCwsLE2UPC1MLCwsPDw8TEwsLFwsLEwsLExMTExczGxMTExMTExcTFxcXCxsLDwtDCxcLhaULcwsPCwsLFxsLGwtzGwsbGwsbDw8LHw8PDx8PDw8fCw8LDwsTBQmRYWGNBwVZWQFGAh8TFwsfExMfDxMPHw8TEx8TDycPExMfExMfDx8fCxcLEycLCwsLExMnDwtTCxMTExMfEycfExMTHxcPExMTHxMTEx8TExMfFxMLFwsTEx8bCyMXCxcLExMfExMTHwsXCxMTHxcPCxcLExMfFw8XCxcLExMfExMTHxMTEx8XCxcLExMnExMTHxcPCxcLEx8TEx8FAyoCASEPBx8bDxsnBwsfHysjOzM3AvYYHwU1AwMV4wU3BTkdRaoCBTsVzgInHQdiAgMDFdsFPR0HVgIFPx0HbgIdRT4EBUEdbzYCHW9SAgVDHRnWAgVFAwPr/wVHBUkdegJ+AgVLAwczQa4CsgK2AroCHQfmAx1FEgQFTQVPBVEREQAFUwVVBVcdB9YDYWZmaW5lX21hcDwoZDApIC0+IChkMCk+ABEJBQVZIwkFIYAAAAAAAAAAgAAAAAAAAAAFWwVdDR0dB9MdB90dB+UdBwoCHWMaAgVfBWEDAy8mAgVjBWUdLTICBWcFaQMDL00dYzoCHS1OAh0ZcgIDAxV2AgMHjgJKBJICQZYCQQMDmgICAh1DngIdB74CHQfaAh1D8gIdBwIDHQcSAx0qAy4DHUNqAx16A34DHZoDngMdKgQuBAVrAwWbnR+fBW0RCSUFbwMPo6Upp62vsbO1TR+3ubsFcQEH/ff3DRthZmZpbmVfbWFwPChkMCwgZDEpIC0+IChkMCwgZDEpPgBhZmZpbmVfbWFwPChkMCwgZDEsIGQyKSAtPiAoZDAsIGQxLCBkMik+AAVzIwkHMQEAAAAAAAAAAAAAAAAAAIABAAAAAAAAAAV1EQkRBXcFeQV7AQe9wccDBTu/PVEJTwMFO8M9xQlTIwkHMQEAAAAAAAAAgAAAAAAAAACAAAAAAAAAAAMFO8k9UQlVAwUpVx9PAwUpzx9TDR8DBSlXH1UdCdUd19kFfS0DB84HFz0RAQEdCd8dP+EtAwe2Bxc7EQMBHQnnHT/pLQMHtgdBXwV/He/xBYEd8/UFgx0/BgIjdHB1LmRpbWVuc2lvbl9zZW1hbnRpY3M8YXJiaXRyYXJ5PgAjdHB1Lm1lbW9yeV9zcGFjZTxzbWVtPgAjdHB1Lm1lbW9yeV9zcGFjZTx2bWVtPgAjdHB1LmRpbWVuc2lvbl9zZW1hbnRpY3M8cGFyYWxsZWw+ACNhcml0aC5vdmVyZmxvdzxub25lPgAjYXJpdGguZmFzdG1hdGg8bm9uZT4ALQMHtgcXXx0JDgIdEgIWAgWFLQMHggcXPR1lHgIdLSICLQMHYgYbKxEJAR1pLgIda20tAwdiBgstHXFtHWU+Ah0tQgItAwdeBxE1HWlKAh1rdy0DCVoHCWoHCx1xdx0JWgIdGV4CLQMHKgcnNx0JZgIdGWoCLQMHLgcnNx0JeS0DBzIHDS0lBQkAAAAABYcdggKGAgWJHRmKAi0DCTIHNUYHDwWLBY0FjwWRHTOiAh0ZpgItAwkyBw1GBw8dR3kFkyMBCSEBAAAAAQAAAAIAAAAAAAAABZUjAQEBHQnCAhXGAg8dDcoCLQMHWgQbPx0l0gItAwnKBhveBg8tAwdSBxEtHQneAhXiAg8dDeYCLQMHXgQhTwMDFe4CEQEFHTP2AhX6Ag8dDf4CLQMHYgQ5UR0JBgMVCgMPHQ0OAy0DB2IEHVMdCRYDFRoDDx0NHgMtAwdmBBM5AwMVJgMRAQIEBZcdMgM2AwWZFToDDx0NPgMtAwdmBBNDAwNGA0oDBZsjAQMJAAAAAB1SA1YDBZ0dWgNeAwWfFWIDDx0NZgMtAwdqBBNzHTNuAxVyAw8dDXYDLQMHagQTgQWhHYIDhgMFoxWKAw8dDY4DLQMHbgQzWQMDL5YDEQkVBaUdogOmAwWnFaoDDx0NrgMtAwduBF19AwMvtgMRCQkdvgPCAwWpHcYDygMFqxXOAw8dDdIDLQMHbgQTfx0J2gMV3gMnHSXiAy0DB+IGI0MdCeoDFe4DJx0l8gMtAwfqBj9PHfoD/gMFrR0CBAYEBa8VCgQnHSUOBC0DCeYGI+4GDx1HFgQVGgQnHSUeBC0DB+YGDR0DAxUmBBMPAQWxHTIENgQFsx2XOgQtAwdqBjNpHUdCBB2XRgQtAwdqBg0tI3RwdS5kb3RfZGltZW5zaW9uX251bWJlcnM8WzFdLCBbMF0sIFswXSwgWzFdLCBbMCwgMCwgMSwgMV0sIFtdLCBbXT4AAQICAycFAgQCBA8X+QMRAUsBAgQX+QMFAUsX+wUCBAIED6kLAQknBQIEAgQBJwUCBAIEERf7BwUCBAIED6snBwUCBAIEDwUXAQEBBwcHCw0XDQ0BBQ8BAQEHBwcLBQEBBQ8BAQEHBwcLBwEBAQR+DgUBEQGZBwMBEQ8RAaEHAys3FwEBAQEBAQcBBwEHAQsBDQEXAQ0BDQEDA2ETAwENB2FnAxEFBRcZBioCAwEDGQMDIRMDAQ0HIXMDEQUbHRsUIQMfCQMPJQMDlSIEAw8XBpUDBQMrAwMdBQMDAwMdBQMDBQYdAwUHFS8xBwYdAwUDMwcGHQMFAy0TBR01CTcVLzEVACEDAQUVACEDA3UTAwENB3VnAxEFBSEZBkYCAwEDIwMDIxMDAQ0HI3MDEQUlJxsUIwMpCQNl1QMDFwUDAwMDFwUDAwUGFwMFBw8rLQMDEQUDAwMDEQUDAwMDEQUDAwUGEQMZCRExMzUHBhEDBQM3AwMbBQMDAwMbBQMDBQYbAwUHFTs9AwMxewMFHQcxfQMFBy85QR8HgX8DBQU/QwMDCwUDAwMDCwUDAwUGCwMFBxVHSQcGCwMFA0sHBgsDBQNFEwULNQlPFUdJCwaDAwMDAwkGgwMBBQlRCwaFAwMDUwkGhQMBBQdVAwOH6gIDASEHhysDAQVTWQsGiQMDA1sJBokDAQUHXQsGiwMDAwMJBosDAQULYQMDjSIDAwElB40rAwEFY2UnA04DQgMDExcGjwMTA2chB48rAxMFaWsXBpEDEwNXDQeRkgMDFQVtbxcGkwMTA18NB5OyAwMVBW1zKQa6AwMVBXF1AwNJBQMDAwNJBQMDBQZJAwUHFXl7AwM3BQMDAwM3BQMDBQY3AwUHE3+BBwY3AwUDgysG9gMDBQd3fYUDAzkFAwMDAzkFAwMFBjkDBQcTiYsTBTk1CYcTiYsVACMDJ1UDAxcFAwMDAxcFAwMFBhcDBQcPKy0DAxEFAwMDAxEFAwMDAxEFAwMFBhEDGQkRMTM1BwYRAwUDNwMDGwUDAwMDGwUDAwUGGwMFBxU7PQMDMXsDBR0HMX0DBQcvOUEfB4F/AwUFP0MDAwsFAwMDAwsFAwMFBgsDBQcVR0kHBgsDBQNLBwYLAwUDRRMFCzUJTxVHSRUAIxEAAQ8RAcsHAxUTDwEBAQEBAQcBBwEHAQsBCwZfAwMDAwkGXwMBBQsPAwMBEwMBEQQBBREFDxEBzQcDGx8PAQEBAQEBBwEHAQcBCwELBlsDAwMDCQZbAwEFCQ8DA10FAwMJBl0DAQUNEyMH7SsDAQURFQMDARMDAREEAQcXBQEPEQHRBwMVEw8BAQEBAQEHAQcBBwELAQsGWQMDAwMJBlkDAQULDwMDARMDAREEAQURAQYDAQUBAN4StSMlExUJCwcJBwkLDRcJCxEpEx0dJRkbRwkLHUcdCyMhIykPLU8LDSstBwkZGRkLDQtHHSUJFSkdVRNJDSEJCw8bFxMXFxcXFw8ZIxUjGRUXIxklGR8PDQkdEWJ1aWx0aW4Ac3RhYmxlX21vc2FpYwB0cHUAYXJpdGgAbW9kdWxlAGFyaXRoLmNvbnN0YW50AHZlY3Rvci5sb2FkAHZlY3Rvci5zaGFwZV9jYXN0AG1lbXJlZi5sb2FkAGFyaXRoLmluZGV4X2Nhc3QAYXJpdGguY21waQBmdW5jLmZ1bmMAZnVuYy5yZXR1cm4AdHB1LnZlY3Rvcl9zdG9yZQBzY2YueWllbGQAdmVjdG9yLmJyb2FkY2FzdABhcml0aC5leHR1aQBzY2YuaWYAdHB1Lm1hdG11bABhcml0aC5hZGRmAGFyaXRoLmFkZGkAYXJpdGguc3ViaQBhcml0aC5tdWxpAHRwdS5pb3RhAGFyaXRoLmFuZGkAYXJpdGguc2VsZWN0AGdtbS5weQBnZXQ6AGdldABfZ2V0X3N0b3JlX21hc2sAdmFsdWUAZ21tLjxsb2NhbHM+Lmtlcm5lbC48bG9jYWxzPi5fYWNjdW0Ac3ltX25hbWUAZ21tLjxsb2NhbHM+Lmtlcm5lbC48bG9jYWxzPi5fc3RvcmVfYWNjdW0AZnVuY3Rpb25fdHlwZQBnbW0uPGxvY2Fscz4ua2VybmVsAHByZWRpY2F0ZQBhZGQAdHJhbnNmb3JtX2luZGljZXMAd2luZG93X2JvdW5kcwBnbW0uPGxvY2Fscz4ucmhzX3RyYW5zZm9ybV9pbmRpY2VzAGFkZDoAc3dhcDoAc3dhcAB0cmFuc2Zvcm1fMAB0cmFuc2Zvcm1fMQB0cmFuc2Zvcm1fMgBlcToAZXEAY29udmVydF9lbGVtZW50X3R5cGU6AGNvbnZlcnRfZWxlbWVudF90eXBlAGNvbmQ6AGNvbmQAZ21tLjxsb2NhbHM+Lmtlcm5lbC48bG9jYWxzPi5femVyb19hY2MAc3RhYmxlX21vc2FpYy52ZXJzaW9uAGtlcm5lbABkaW1lbnNpb25fc2VtYW50aWNzAGl0ZXJhdGlvbl9ib3VuZHMAc2NhbGFyX3ByZWZldGNoAHNjcmF0Y2hfb3BlcmFuZHMAbWFpbgB3aW5kb3dfcGFyYW1zAGdtbS48bG9jYWxzPi5vdXRfdHJhbnNmb3JtX2luZGljZXMAb3ZlcmZsb3dGbGFncwBzdWI6AHN1YgBnbW0uPGxvY2Fscz4ubGhzX3RyYW5zZm9ybV9pbmRpY2VzAGRvdF9nZW5lcmFsOgBkb3RfZ2VuZXJhbABkaW1lbnNpb25fbnVtYmVycwB0cmFuc3Bvc2VfbGhzAHRyYW5zcG9zZV9yaHMAZmFzdG1hdGgAb3BlcmFuZFNlZ21lbnRTaXplcwBzdHJpZGVzAG11bDoAbXVsAGRpbWVuc2lvbnMAaW90YToAaW90YQBnZToAZ2UAbHQ6AGx0AGFuZDoAYW5kAHNlbGVjdF9uOgBzZWxlY3RfbgBicm9hZGNhc3RfaW5fZGltOgBicm9hZGNhc3RfaW5fZGltAA==\22, \22cost_estimate\22: {\0A\22bytes_accessed\22:524288,\0A\22flops\22:8388608,\0A\22remote_bytes_transferred\22:0,\0A\22transcendentals\22:0\0A}, \22serialization_format\22: 1, \22needs_layout_passes\22: true}}", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[2, 1, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<i32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<1xi32>, tensor<256x128xf32>, tensor<3x128x128xf32>) -> tensor<256x128xf32>
    return %188 : tensor<256x128xf32>
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
  func.func private @_where_51(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
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
    %0 = call @_searchsorted_scan_impl_62(%arg0, %arg1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @_searchsorted_scan_impl_62(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xi32> {
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
    %4 = call @floor_divide_66(%3, %c) : (tensor<3xui32>, tensor<i32>) -> tensor<3xui32>
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
  func.func private @floor_divide_66(%arg0: tensor<3xui32>, %arg1: tensor<i32>) -> tensor<3xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<3xui32>
    %3 = stablehlo.divide %arg0, %2 : tensor<3xui32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}]> : tensor<3xui32>
    return %4 : tensor<3xui32>
  }
  func.func private @_roll_static_93(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.slice %arg0 [1:2] : (tensor<2xi32>) -> tensor<1xi32>
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    return %2 : tensor<2xi32>
  }
  func.func private @cumsum_98(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %0 = call @cumsum_99(%arg0) : (tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func private @cumsum_99(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    return %1 : tensor<2xi32>
  }
  func.func private @_take_107(%arg0: tensor<2xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
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
    %10 = call @remainder_115(%5, %9) : (tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @remainder_115(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = sdy.sharding_constraint %c <@mesh, []> : tensor<i32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = sdy.sharding_constraint %c_0 <@mesh, []> : tensor<i32>
    %3 = call @_where_118(%1, %2, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @_where_118(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    %1 = sdy.sharding_constraint %0 <@mesh, []> : tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @_where_130(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<i32>) -> tensor<3xi32> {
    %0 = stablehlo.convert %arg2 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<3xi32>
    %3 = stablehlo.select %arg0, %arg1, %2 : tensor<3xi1>, tensor<3xi32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}]> : tensor<3xi32>
    return %4 : tensor<3xi32>
  }
}

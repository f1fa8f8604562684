def shared(kind):
    def kernel(x, o, sem):
        def body(h):
            core = jax.lax.axis_index("core")

            @pl.when(core == 0)
            def _():
                if kind == "racy":
                    pl.semaphore_signal(sem, 1, core_index=1)
                pltpu.sync_copy(x, h)
                if kind in ("right", "leak"):
                    pl.semaphore_signal(sem, 2 if kind == "leak" else 1, core_index=1)

            @pl.when(core == 1)
            def _():
                pl.semaphore_wait(sem, 1)
                pltpu.sync_copy(h, o)
        pl.run_scoped(body, pltpu.HBM((16, 128), jnp.int32))

    def program(x):
        return pl.kernel(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), mesh=pltpu.create_tensorcore_mesh("core", num_cores=2),
                         scratch_shapes=[pltpu.SemaphoreType.REGULAR])(x)
    return program

namespace kernel_audit {}

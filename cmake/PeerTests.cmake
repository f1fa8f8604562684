# Kernels that JAX lowers here and now, where its packages can be had within the time that a test may take (docs/peer.md).
if(NOT KA_SANITIZE)
  ka_script_test(peer tests/peer/run_peer.py --program $<TARGET_FILE:kernel-audit> --groups production conformance --no-interpret --patience 60
                 --make-within 90 --run-within 120)
  set_tests_properties(peer PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()

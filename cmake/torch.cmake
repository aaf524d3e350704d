# LibTorch as own targets from the folder TORCH_ROOT (the `torch` folder of the PyPI wheel). Never
# find_package(Torch), which wants a CUDA toolkit, and never -ltorch, which wants CUDA's libraries:
# reading of DT_NEEDED and the recipe are in docs/decisions. Also installed, for DovetailConfig.cmake.
if(NOT TORCH_ROOT)
  foreach(candidate "$ENV{TORCH_ROOT}" "${DOVETAIL_TORCH_ROOT}"
          /var/cache/dovetail/libtorch-2.11.0/torch "$ENV{HOME}/.cache/dovetail/libtorch-2.11.0/torch")
    if(candidate AND EXISTS "${candidate}/lib/libtorch_cpu.so")
      set(TORCH_ROOT "${candidate}" CACHE PATH "LibTorch: the torch folder of the PyPI wheel" FORCE)
      break()
    endif()
  endforeach()
endif()
if(NOT EXISTS "${TORCH_ROOT}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "LibTorch is not at TORCH_ROOT='${TORCH_ROOT}' (no lib/libtorch_cpu.so). "
                      "Run `./dev setup`, or pass -DTORCH_ROOT=<site-packages>/torch.")
endif()

if(NOT TARGET lt::torchcpu)
  foreach(library c10 torch_cpu)
    add_library(lt::${library} SHARED IMPORTED GLOBAL)
    set_target_properties(lt::${library} PROPERTIES IMPORTED_LOCATION
                                                    "${TORCH_ROOT}/lib/lib${library}.so")
  endforeach()
  add_library(lt::torchcpu INTERFACE IMPORTED GLOBAL)
  # SYSTEM, and only for targets that name lt::torchcpu: the wheel ships its own fmt and protobuf.
  target_include_directories(lt::torchcpu SYSTEM INTERFACE
                             "${TORCH_ROOT}/include" "${TORCH_ROOT}/include/torch/csrc/api/include")
  target_compile_definitions(lt::torchcpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO USE_RPC
                                                    USE_TENSORPIPE)
  target_link_libraries(lt::torchcpu INTERFACE lt::torch_cpu lt::c10)
  # libtorch_cpu needs libcudart and libcupti, which its own RPATH finds.
  target_link_options(lt::torchcpu INTERFACE -Wl,--no-as-needed -Wl,--allow-shlib-undefined)
endif()

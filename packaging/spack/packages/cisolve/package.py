# SPDX-License-Identifier: MIT
"""cisolve for Spack: spack repo add packaging/spack, then, in a clone of cisolve, spack dev-build cisolve@main.

Only its syntax is checked.
"""
from spack.package import *


class Cisolve(CMakePackage, CudaPackage):
    """Configuration-interaction solver for quantum chemistry: determinants or CSFs, on CPUs or GPUs."""

    license("MIT")

    version("main")
    version("0.1.0")

    variant("libint", default=True, description="Integrals from a geometry and a basis, by Libint")
    variant("mpi", default=False, description="Several processes by MPI")
    variant("shared", default=False, description="The library as a shared one")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("eigen@3.4")
    depends_on("openblas threads=openmp")
    depends_on("hdf5+cxx~mpi")
    depends_on("zlib-api")
    depends_on("spdlog")
    depends_on("fmt")
    depends_on("cli11")
    depends_on("nlohmann-json")
    depends_on("tomlplusplus")
    depends_on("xxhash")
    depends_on("libint@2.7:", when="+libint")
    depends_on("mpi@3:", when="+mpi")
    depends_on("cuda@12:", when="+cuda")

    generator("ninja")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPU: cuda_arch=90")

    def cmake_args(self):
        args = [
            self.define_from_variant("CISOLVE_CUDA", "cuda"),
            self.define_from_variant("CISOLVE_LIBINT", "libint"),
            self.define_from_variant("CISOLVE_MPI", "mpi"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            # Spack's own flags say for which processor.
            self.define("CISOLVE_NATIVE", False),
            self.define("CISOLVE_TESTS", False),
            self.define("CISOLVE_BENCH", False),
            self.define("CMAKE_UNITY_BUILD", True),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

# The image of the controller, for amd64 and arm64:
#
#   docker build -t sluice:0.1.0 .       or, without docker and without a registry:
#   charts/build_image.sh                makes build/oci/sluice.tar from this file
#
# With `--platform linux/arm64` either makes the image of the other processor: the compiler runs on
# that of the machine, without emulation.
#
# BASE is any Debian 12. SOURCE_DATE_EPOCH dates all files, so that two builds have one digest.
ARG BASE=docker.io/library/debian:bookworm

FROM --platform=$BUILDPLATFORM ${BASE} AS build
ARG TARGETARCH
WORKDIR /src
COPY test/install_dependencies.sh test/
RUN test/install_dependencies.sh build ${TARGETARCH}
COPY . .
RUN cmake --preset image -DSLUICE_PROCESSOR=${TARGETARCH} && cmake --build --preset image
ARG SOURCE_DATE_EPOCH=0
RUN charts/image_root.py --epoch ${SOURCE_DATE_EPOCH} build/image/controller/sluice /image

# Nothing is in it but the program, the libraries that it is linked with, and certificate authorities.
FROM scratch
COPY --from=build /image/ /
ENV PATH=/usr/bin
USER 65532:65532
LABEL org.opencontainers.image.title=sluice \
    org.opencontainers.image.licenses=Apache-2.0
ENTRYPOINT ["sluice"]
CMD ["controller"]

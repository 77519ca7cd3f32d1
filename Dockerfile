# Inlet: the first layer of a language model over HTTP.
#   docker build -t inlet . && docker run -p 8000:8000 inlet
# With TensorFlow underneath (433 MiB more, docs/tfjs-node.md): docker build --build-arg TFJS_NODE=1 -t inlet .
# For amd64 and arm64: docker buildx bake -f docker/bake.json. Nothing is run on a platform that is not the builder's;
# a builder that does not name its own (Docker's before BuildKit) is taken to be amd64.

# What runs, made with the development dependencies: the same files for each platform.
FROM --platform=${BUILDPLATFORM:-linux/amd64} node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci
COPY build.mjs tsconfig.json tsconfig.types.json rolldown.config.ts openapi.yaml ./
COPY src src
COPY clients/typescript/src clients/typescript/src
COPY docs/sample.txt docs/
RUN npm run build && mkdir data

# Packages that it needs while it runs: those with binaries. All others are bundled into dist.
FROM --platform=${BUILDPLATFORM:-linux/amd64} node:24-slim AS modules
ARG TFJS_NODE=0
ARG TARGETARCH
WORKDIR /app
RUN if [ "$TFJS_NODE" = 1 ] && [ "${TARGETARCH:-amd64}" != amd64 ]; then echo "TFJS_NODE=1 is for amd64. Given: $TARGETARCH" >&2; exit 1; fi
RUN if [ "$TFJS_NODE" = 1 ]; then apt-get update && apt-get install -y --no-install-recommends python3 python3-pip make g++ ca-certificates; fi
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY docker/build-tfjs-node.sh docker/build-tfjs-node.sh
RUN mkdir -p node_modules; if [ "$TFJS_NODE" = 1 ]; then npm ci --omit=dev --omit=optional && docker/build-tfjs-node.sh; fi
# The library for tokenizers that are not our own: of its thirteen binaries the platform's, 5 of 63 MB.
COPY --from=build /app/node_modules/tokenizers node_modules/tokenizers
RUN arch=${TARGETARCH:-amd64}; find node_modules/tokenizers -name '*.node' ! -name "tokenizers.linux-$(echo "$arch" | sed s/amd64/x64/)-gnu.node" -delete

FROM node:24-slim
# The address is the container's own: what reaches it is for whoever runs it to say.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000
# glibc keeps what is freed, and more of it the larger it was: this way large buffers go back to the system.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json openapi.yaml LICENSE ./
COPY models models
# A volume that is mounted here begins with this owner: for DATA_DIR=/data.
COPY --from=build --chown=node:node /app/data /data
USER node
EXPOSE 8000
# Ready, not only alive: a container whose tables are being made gets no traffic yet.
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["node", "dist/health-check.js"]
# No npm and no shell in between: signals reach the service, which finishes what runs.
CMD ["node", "dist/server.js"]

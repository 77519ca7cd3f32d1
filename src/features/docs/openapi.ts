import { staticFile } from '../../service/answer/static-files.js'
import type { FeatureApp } from '../../service/feature.js'

/** URL, file and media type of the document in its two forms. */
const DOCUMENTS = [
  {
    operationId: 'getOpenApiJson',
    url: '/openapi.json',
    path: 'dist/docs/openapi.json',
    mediaType: 'application/json',
  },
  {
    operationId: 'getOpenApiYaml',
    url: '/openapi.yaml',
    path: 'openapi.yaml',
    mediaType: 'application/yaml',
  },
] as const

/** `GET /openapi.json` and `GET /openapi.yaml`: the committed document, not one made at start. */
export function addOpenApiRoutes(app: FeatureApp): void {
  for (const { operationId, url, path, mediaType } of DOCUMENTS) {
    const options = { schema: { operationId }, config: { media: { produces: [mediaType] } } }
    app.get(url, options, async (_, reply) => {
      return reply.type(`${mediaType}; charset=utf-8`).send(await staticFile(path))
    })
  }
}

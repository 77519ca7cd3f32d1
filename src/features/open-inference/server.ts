import { readFileSync } from 'node:fs'
import { packageFile } from '../../first-layer/package-file.js'
import type { FeatureApp } from '../../service/feature.js'
import { mayUse } from '../../service/request/checks/callers.js'
import type { InferenceContext } from './context.js'

/** The extensions of the protocol that are here, under the names that Triton gives them. */
const EXTENSIONS = ['model_configuration', 'binary_tensor_data', 'parameters'] as const

/** `GET /v2`: what this server is. `GET /v2/models`: the models' names. */
export function addInferenceServer(app: FeatureApp, { models }: InferenceContext): void {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
  const metadata = { name: 'inlet', version, extensions: EXTENSIONS }
  app.get('/v2', { schema: { operationId: 'getInferenceServer' } }, () => metadata)
  app.get('/v2/', () => metadata) // as /v2: linters and some generators take no slash at the end
  app.get('/v2/models', { schema: { operationId: 'listInferenceModels' } }, (request) => {
    const ids = models.entries().map(({ card }) => card.id)
    return { models: ids.filter((id) => mayUse(request, id)) }
  })
}

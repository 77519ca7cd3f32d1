import type { FastifyRequest } from 'fastify'
import { countFields } from '../../first-layer/answer.js'
import type { InletError } from '../../first-layer/errors.js'
import { packageVersion } from '../../first-layer/package-file.js'
import { notLive, stopping } from '../../service/answer/error-table.js'
import { addErrorHandling, SLASH_HINT } from '../../service/answer/errors.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import { number } from '../../service/document/headers.js'
import type { Feature, FeatureApp, Service } from '../../service/feature.js'
import { starting } from '../../service/models/errors.js'
import { mayUse } from '../../service/request/checks/callers.js'
import { JSON_TYPE } from '../../service/request/checks/head-checks.js'
import { leased } from '../../service/request/claims.js'
import { inferenceAnswer } from './answer.js'
import { errors, InferenceError } from './errors.js'
import { addInferenceModels, checkVersion, modelRoutes, pathModel } from './models.js'
import { inferRequest } from './request.js'
import { inputTensors, pooledTensors } from './tensors.js'

const headers = {
  'Inference-Header-Content-Length': number(
    'Bytes of JSON before those of the binary outputs, before packing; absent where all is JSON.',
  ),
}

/** `/v2`: the Open Inference Protocol of KServe and Triton, version 2, for every model. */
export const openInference: Feature = {
  name: 'open-inference',
  prefix: '/v2',
  errors,
  headers,
  requestHeaders: Object.keys(headers), // requests have it too
  routes(app, service) {
    addErrorHandling(app, ERROR_FORM)
    app.register(async (below) => addErrorHandling(below, ERROR_FORM, SLASH_HINT), { prefix: '/models' })
    addServer(app, service)
    addInferenceModels(app, service)
    addInfer(app, service)
    addNotImplemented(app)
  },
}

/** KServe's client takes the media type to the letter. */
const ERROR_FORM = { type: JSON_TYPE, body: ({ message }: InletError) => ({ error: message }) }

/** The extensions of the protocol that are here, under the names that Triton gives them. */
const EXTENSIONS = ['model_configuration', 'binary_tensor_data', 'parameters'] as const

/** The server's metadata, the models' names, and the health as of `/health`. */
function addServer(app: FeatureApp, { liveness, models }: Service): void {
  const open = { needs: 'nothing', isProbe: true, isWatched: false } as const
  app.get('/health/live', { schema: { operationId: 'getInferenceLiveness' }, config: open }, () => {
    if (liveness.isSilent) throw notLive()
    return { live: true }
  })
  app.get('/health/ready', { schema: { operationId: 'getInferenceReadiness' }, config: open }, () => {
    if (liveness.isSilent) throw notLive()
    if (liveness.isStopping) throw stopping()
    if (models.isStarting) throw starting()
    return { ready: true }
  })
  const metadata = { name: 'inlet', version: packageVersion(), extensions: EXTENSIONS }
  app.get(
    '/',
    { prefixTrailingSlash: 'no-slash', schema: { operationId: 'getInferenceServer' } },
    () => metadata,
  )
  app.get('/', { prefixTrailingSlash: 'slash' }, () => metadata) // as /v2: linters and some generators take no slash at the end
  app.get('/models', { schema: { operationId: 'listInferenceModels' } }, (request) => {
    const ids = models.entries().map(({ card }) => card.id)
    return { models: ids.filter((id) => mayUse(request, id)) }
  })
}

const BYTES_TYPE = 'application/octet-stream'

/** The parameters decide about the answer's form, not `Accept`. */
const config = { media: { produces: [JSON_TYPE, BYTES_TYPE], isNegotiated: false } }

/** `POST /v2/models/{model}/infer`: text or ids in, tensors out. */
function addInfer(app: FeatureApp, { models, config: limits }: Service): void {
  for (const { url, schema } of modelRoutes('infer', '/infer')) {
    app.post(url, { schema, config }, async (request, reply) => {
      const { claim, params } = request
      const { card } = pathModel(models, params)
      const asked = await inferRequest(request, limits)
      const { timeout } = asked
      if (timeout > 0)
        request.deadline.shorten(timeout / 1000, `${timeout} µs, as \`parameters.timeout\` asks`)
      claim.throwIfAborted()
      const model = await leased(request, models, card.id)
      checkVersion(params.version, model.version)

      const told = (numTokens: number, tokenizeMs: number) => {
        request.figures = { numTokens, tokenizeMs }
      }
      const { counts, tensors, metadata } = card.pooling
        ? await pooledTensors(model, card.pooling, asked, claim, told)
        : await inputTensors(model, asked, claim, told)
      claim.give(asked.length) // the body's texts are ids by now

      const outputs = tensors.map((tensor, i) => {
        return { tensor, isBinary: asked.outputs?.[i]?.isBinary ?? asked.isBinary }
      })
      const parameters = { ...Object.fromEntries(countFields(counts)), ...metadata }
      const frame = { model_name: card.id, model_version: model.version, id: asked.id, parameters }
      const answer = await inferenceAnswer(outputs, frame, limits.MAX_JSON_RESPONSE_BYTES, claim)
      const { hasBytes } = answer
      Object.assign(request.figures!, { format: hasBytes ? 'raw' : 'json', numWindows: counts?.numWindows })
      reply.header('x-model-version', model.version)
      const mediaType = hasBytes ? BYTES_TYPE : JSON_TYPE
      return sendEncoded(request, reply, answer, mediaType, limits.MAX_RESPONSE_BYTES)
    })
  }
}

/** Paths of the protocol's extensions that are not here, by what they are for. */
export const EXTENSION_PATHS = {
  'trace settings': ['trace/setting', 'models/:model/trace/setting'],
  'log settings': ['logging'],
  statistics: ['models/stats', 'models/:model/stats', 'models/:model/versions/:version/stats'],
  'model repository': ['repository/*'],
  'shared memory': ['systemsharedmemory/*', 'cudasharedmemory/*'],
}

/** Answers 501 where clients ask for extensions that this service does not have. */
function addNotImplemented(app: FeatureApp): void {
  for (const [what, paths] of Object.entries(EXTENSION_PATHS)) {
    const handler = (request: FastifyRequest) => {
      const [path] = request.url.split('?', 1)
      throw new InferenceError(
        'not_implemented',
        `This service has no ${what}: no ${request.method} ${path}.`,
      )
    }
    for (const path of paths) app.route({ url: `/${path}`, method: ['GET', 'POST'], handler })
  }
}

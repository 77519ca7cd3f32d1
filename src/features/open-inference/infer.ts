import { drive } from '../../first-layer/running/drive.js'
import { countFields } from '../../service/answer/counts.js'
import { responseTooLarge, sendEncoded } from '../../service/answer/send-encoded.js'
import type { FeatureApp, Service } from '../../service/feature.js'
import { leased } from '../../service/request/claims.js'
import { inferenceAnswer } from './answer.js'
import { checkVersion, modelRoutes, pathModel } from './models.js'
import { inferRequest } from './request.js'
import { inputTensors, pooledTensors } from './tensors.js'

const [JSON_TYPE, BYTES_TYPE] = ['application/json', 'application/octet-stream'] as const

/** The parameters decide about the answer's form, not `Accept`. */
const config = { media: { produces: [JSON_TYPE, BYTES_TYPE], isNegotiated: false } }

/** `POST /v2/models/{model}/infer`: text or ids in, tensors out. */
export function addInfer(app: FeatureApp, { models, config: limits }: Service): void {
  for (const { url, schema } of modelRoutes('infer', '/infer')) {
    app.post(url, { schema, config }, async (request, reply) => {
      const { claim, params } = request
      const { card } = pathModel(models, params)
      const started = performance.now()
      const asked = await inferRequest(request, limits)
      const { timeout } = asked
      if (timeout > 0)
        request.deadline.shorten(timeout / 1000, `${timeout} µs, as \`parameters.timeout\` asks`)
      const model = await leased(request, models, card.id)
      checkVersion(params.version, model.version)

      const hasInput = (numTokens: number) => {
        request.figures = { numTokens, tokenizeMs: performance.now() - started - (claim.waitedMs ?? 0) }
      }
      const { counts, tensors, metadata } = card.pooling
        ? await pooledTensors(model, card.pooling, asked, claim, hasInput)
        : await inputTensors(model, asked, claim, hasInput)
      claim.give(asked.length) // the body's texts are ids by now

      const outputs = tensors.map((tensor, i) => {
        return { tensor, isBinary: asked.outputs?.[i]?.isBinary ?? asked.isBinary }
      })
      const parameters = { ...Object.fromEntries(countFields(counts)), ...metadata }
      const frame = { model_name: card.id, model_version: model.version, id: asked.id, parameters }
      const answer = await drive(claim, inferenceAnswer(outputs, frame, limits.MAX_JSON_RESPONSE_BYTES))
      const { hasBytes, size } = answer
      const { numTokens, numWindows } = counts ?? {}
      const { tokenizeMs } = request.figures ?? {}
      request.figures = { format: hasBytes ? 'raw' : 'json', numTokens, numWindows, tokenizeMs }
      const limit = limits.MAX_RESPONSE_BYTES
      if (size > limit) throw responseTooLarge(BYTES_TYPE, limit, `${size} bytes`)
      reply.header('x-model-version', model.version)
      return sendEncoded(request, reply, answer, hasBytes ? BYTES_TYPE : JSON_TYPE, limit, tensors)
    })
  }
}

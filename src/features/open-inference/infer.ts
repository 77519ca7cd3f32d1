import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../../first-layer/answer.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import type { Pooling } from '../../first-layer/pooling/pooling.js'
import { drive } from '../../first-layer/work/drive.js'
import { countFields } from '../../service/answer/counts.js'
import { responseTooLarge, sendEncoded } from '../../service/answer/send-encoded.js'
import type { FeatureApp } from '../../service/feature.js'
import { leased } from '../../service/request/claims.js'
import type { LimitVariables } from '../../service/request/limit-variables.js'
import { type InferenceContext, type ModelPath, modelRoutes } from './context.js'
import { type AskedInference, inferRequest } from './infer-request.js'
import { inputTensors } from './input-tensors.js'
import { checkVersion, pathModel } from './model-version.js'
import { pooledTensors } from './pooled-tensors.js'
import { estimatedJsonBytes, inferenceAnswer } from './wire/answer.js'

const [JSON_TYPE, BYTES_TYPE] = ['application/json', 'application/octet-stream'] as const

/** The parameters decide about the answer's form, not `Accept`. */
const OPTIONS = { config: { media: { produces: [JSON_TYPE, BYTES_TYPE], isNegotiated: false } } }

/** `POST /v2/models/{model}/infer`: text or ids in, tensors out. */
export function addInfer(app: FeatureApp, context: InferenceContext): void {
  const { models, limits } = context
  for (const { url, schema } of modelRoutes('infer', 'infer')) {
    app.post<ModelPath>(url, { schema, ...OPTIONS }, async (request, reply) => {
      const { card } = pathModel(models, request.params)
      const started = performance.now()
      const asked = await inferRequest(request, limits)
      if (asked.timeout !== undefined) {
        request.deadline.shorten(asked.timeout / 1000, `${asked.timeout} µs, as \`parameters.timeout\` asks`)
      }
      const model = await leased(request, models, card.id)
      checkVersion(request.params.version, model.version)
      const answer = await tensorsOf(model, card.pooling, asked, request, started)
      return send(request, reply, asked, answer, limits)
    })
  }
}

/** The answer's tensors, declared; the body's bytes are given back, since its texts are ids by now. */
async function tensorsOf(
  model: Model,
  pooling: Pooling | undefined,
  asked: AskedInference,
  request: FastifyRequest,
  started: number,
): Promise<Answer> {
  const { claim } = request
  const hasInput = (numTokens: number) => {
    const tokenizeMs = performance.now() - started - (claim.waitedMs ?? 0)
    request.figures = { numTokens, tokenizeMs }
  }
  const answer =
    pooling === undefined
      ? await inputTensors(model, asked, claim, hasInput)
      : await pooledTensors(model, pooling, asked, claim, hasInput)
  claim.give(asked.length)
  return answer
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: AskedInference,
  { model = '', modelVersion = '', counts, tensors, metadata }: Answer,
  limits: LimitVariables,
): Promise<void> {
  const outputs = tensors.map((tensor, i) => {
    return { tensor, isBinary: asked.outputs?.[i]?.isBinary ?? asked.isBinary }
  })
  const parameters = { ...Object.fromEntries(countFields(counts)), ...metadata }
  const frame = { model, modelVersion, id: asked.id, parameters }
  const jsonBytes = estimatedJsonBytes(outputs, frame)
  const { MAX_JSON_RESPONSE_BYTES: jsonLimit, MAX_RESPONSE_BYTES: limit } = limits
  if (jsonBytes > jsonLimit) throw responseTooLarge(JSON_TYPE, jsonLimit, `${jsonBytes} bytes`)
  const encoded = await drive(request.claim, inferenceAnswer(outputs, frame))
  const hasBytes = encoded.jsonBytes < encoded.size
  request.figures = {
    format: hasBytes ? 'raw' : 'json',
    numTokens: counts?.numTokens,
    numWindows: counts?.numWindows,
    tokenizeMs: request.figures?.tokenizeMs,
  }
  if (encoded.size > limit) throw responseTooLarge(BYTES_TYPE, limit, `${encoded.size} bytes`)
  reply.header('x-model-version', modelVersion)
  const mediaType = hasBytes ? BYTES_TYPE : JSON_TYPE
  return sendEncoded(
    request,
    reply,
    encoded,
    mediaType,
    Number.POSITIVE_INFINITY,
    outputs.map(({ tensor }) => tensor),
  )
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InletError } from '../../../errors.js'
import { npyFile, npyFileBytes } from '../../../first-layer/tensors/npy.js'
import { safetensorsFile } from '../../../first-layer/tensors/safetensors/safetensors-file.js'
import { waitWithin } from '../../../load/wait-within.js'
import type { Models } from '../../../models/library/models.js'
import { describeSoftPrompt, type SoftPrompt } from '../../../models/soft-prompt.js'
import { softPromptTensor } from '../../../requests/soft-prompt-rows.js'
import { npy } from '../../../wire/formats/npy.js'
import { preferred } from '../../../wire/formats/registry.js'
import { safetensors } from '../../../wire/formats/safetensors.js'
import { sendEncoded } from '../../answers/send-encoded.js'
import type { LimitVariables } from '../../limit-variables.js'
import type { ModelPath } from '../admin/model-path.js'
import { JSON_TYPE, type SoftPromptPath } from './path.js'

const PRODUCED = [JSON_TYPE, ...safetensors.mediaTypes, ...npy.mediaTypes]

/** `GET /v1/models/{model}/prompts`, `GET` and `DELETE /v1/models/{model}/prompts/{prompt}`. */
export function addSoftPromptObjects(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const json = { config: { media: { produces: [JSON_TYPE] } } }
  app.get<ModelPath>('/v1/models/:model/prompts', json, async ({ params }) => {
    const prompts = [...models.prompts(params.model)].sort((a, b) => (a.name < b.name ? -1 : 1))
    return { object: 'list', data: prompts.map(describeSoftPrompt) }
  })

  const one = { config: { media: { produces: PRODUCED } } }
  app.get<SoftPromptPath>('/v1/models/:model/prompts/:prompt', one, async (request, reply) => {
    const { params, headers } = request
    const prompt = models.prompt(params.model, params.prompt)
    const mediaType = preferred(headers.accept, PRODUCED)
    if (mediaType === JSON_TYPE) return describeSoftPrompt(prompt)
    return sendRows(request, reply, prompt, mediaType, limits.MAX_RESPONSE_BYTES)
  })

  const remove = { config: { admin: true } }
  app.delete<SoftPromptPath>('/v1/models/:model/prompts/:prompt', remove, async (request, reply) => {
    const { params, claim } = request
    await waitWithin(models.admin.removePrompt(params.model, params.prompt), { claim })
    return reply.code(204).send()
  })
}

/** The rows as the file that `PUT` takes. */
function sendRows(
  request: FastifyRequest,
  reply: FastifyReply,
  prompt: SoftPrompt,
  mediaType: string,
  limit: number,
) {
  const tensor = softPromptTensor(prompt)
  const isNpy = npy.mediaTypes.includes(mediaType)
  const refusal = isNpy ? npy.refuses?.(tensor) : undefined
  if (refusal !== undefined) throw new InletError('not_acceptable', refusal, 'accept')
  const file = isNpy
    ? { bytes: npyFileBytes(tensor), blocks: () => npyFile(tensor) }
    : safetensorsFile({ format: 'pt' }, [tensor])
  const answer = { size: file.bytes, exact: true, headers: {}, body: file.blocks() }
  return sendEncoded(request, reply, answer, mediaType, limit)
}

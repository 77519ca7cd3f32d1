import type { FastifyInstance } from 'fastify'
import { InletError, shown } from '../../../errors.js'
import { drive } from '../../../load/drive.js'
import { waitWithin } from '../../../load/wait-within.js'
import { checkBaseModel } from '../../../models/base-model.js'
import { isPromptName, PROMPT_NAME_RULE } from '../../../models/cards/model-id.js'
import type { Models } from '../../../models/library/models.js'
import {
  describeSoftPrompt,
  MAX_SOFT_PROMPT_FILE_BYTES,
  MAX_SOFT_PROMPT_ROWS,
} from '../../../models/soft-prompt.js'
import { npy } from '../../../wire/formats/npy.js'
import { safetensors } from '../../../wire/formats/safetensors.js'
import { queryReader } from '../../../wire/query.js'
import { softPromptUpload } from '../../../wire/schemas/soft-prompts.js'
import { checkedRows } from '../../../wire/soft-prompts/checked-rows.js'
import { rowsOfNpy, rowsOfSafetensors } from '../../../wire/soft-prompts/found-rows.js'
import { parseContentType } from '../../body/content-type.js'
import { queryOf } from '../../body/embedding-source.js'
import { readBody } from '../../body/read-body.js'
import { JSON_TYPE, type SoftPromptPath } from './path.js'

const readUpload = queryReader(softPromptUpload)

/** `PUT /v1/models/{model}/prompts/{prompt}` ← PEFT's adapter_model.safetensors, or a .npy [n, C]. */
export function addPutSoftPrompt(app: FastifyInstance, models: Models): void {
  const media = { consumes: [...safetensors.mediaTypes, ...npy.mediaTypes], produces: [JSON_TYPE] }
  const options = { config: { admin: true, media } }
  app.put<SoftPromptPath>('/v1/models/:model/prompts/:prompt', options, async (request, reply) => {
    const { claim, headers, params } = request
    const { model, prompt: name } = params
    checkName(name)
    const { base_model: baseModel } = readUpload(queryOf(request))
    const card = models.card(model)
    if (baseModel !== undefined) checkBaseModel(baseModel, card)
    const file = await readBody(request, MAX_SOFT_PROMPT_FILE_BYTES, 'bytes')
    const { mediaType } = parseContentType(headers['content-type'] ?? '')
    const found = npy.mediaTypes.includes(mediaType) ? rowsOfNpy(file) : rowsOfSafetensors(file)
    const { embeddingDim } = card
    const checked = await drive(claim, checkedRows(found, embeddingDim, MAX_SOFT_PROMPT_ROWS))
    const created = Math.floor(Date.now() / 1000)
    const put = models.admin.putPrompt({ model, name, embeddingDim, created, ...checked })
    const { prompt, made } = await waitWithin(put, { claim })
    reply.code(made ? 201 : 200)
    return describeSoftPrompt(prompt)
  })
}

/** @throws InletError `invalid_request` for a name that no soft prompt may have */
function checkName(name: string): void {
  if (isPromptName(name)) return
  throw new InletError(
    'invalid_request',
    `\`prompt\` must be ${PROMPT_NAME_RULE}. Given: ${shown(name)}`,
    'prompt',
  )
}

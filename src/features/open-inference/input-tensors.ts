import type { Answer } from '../../first-layer/answer.js'
import { planEmbedding } from '../../first-layer/embedding-plan.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import { type EmbeddingRequest, inputEmbeddings } from '../../first-layer/input-embedding.js'
import { checkOutputNames, outputDtype } from '../../first-layer/outputs.js'
import { type Claim, drive } from '../../first-layer/work/drive.js'
import { InletError, quoted } from '../../service/answer/error-table.js'
import { documentsOf, textOptions } from '../../service/request/documents/token-documents.js'
import { tokenTypesOf } from '../../service/request/documents/token-types.js'
import { inferenceOptions } from '../../service/request/fields/embedding-request.js'
import type { AskedInference } from './infer-request.js'
import { keptLengths, maskedDocuments } from './masked-documents.js'
import { DATATYPES } from './wire/datatypes.js'
import { parametersReader } from './wire/parameters.js'

const readParameters = parametersReader(inferenceOptions)
const SEVERAL = { single: false } as const

/**
 * The tensors that an inference request asks for, declared.
 *
 * @param hasInput called with the number of tokens when their ids are there
 * @throws InletError as `POST /v1/input-embeddings`; `invalid_request` for 16-bit floats as JSON
 */
export async function inputTensors(
  model: Model,
  asked: AskedInference,
  claim: Claim,
  hasInput: (tokens: number) => void,
): Promise<Answer> {
  const fields = readParameters(asked.options)
  const outputs = asked.outputs?.map(({ name }) => name)
  if (outputs !== undefined) checkOutputNames(outputs, false)
  const plan = planEmbedding(model, { ...fields, outputs }, SEVERAL)
  refuseHalfAsJson(model, plan, asked)
  const { given, ids, mask, tokenTypes } = asked.inputs
  const documents = await documentsOf(model, given, textOptions(model, given, fields), claim)
  const types = tokenTypes && (await drive(claim, tokenTypesOf(model, plan.architecture, ids!, tokenTypes)))
  const kept = mask && (await drive(claim, keptLengths(mask.documents)))
  const own = kept === undefined ? documents : await drive(claim, maskedDocuments(documents, kept))
  const ownTypes =
    kept === undefined || types === undefined ? types : await drive(claim, maskedDocuments(types, kept))
  hasInput(own.totalTokens)
  return drive(claim, inputEmbeddings(model, own, { ...plan, ...(ownTypes && { tokenTypes: ownTypes }) }))
}

/** The protocol has no form for 16-bit floats in JSON. @throws InletError `invalid_request` */
function refuseHalfAsJson(model: Model, plan: EmbeddingRequest, { outputs, isBinary }: AskedInference): void {
  if (plan.dtype === 'float32') return
  const { position, positionOffset, contextLength = 1 } = plan
  const asked = outputs ?? [{ name: 'input_embeddings', isBinary }]
  const i = asked.findIndex(({ name, isBinary: asBytes }) => {
    if (asBytes) return false
    const request = model.positionRequest(position, contextLength, positionOffset)
    return outputDtype(name, plan, position, request) === plan.dtype
  })
  if (i < 0) return
  const field =
    outputs === undefined ? 'parameters.binary_data_output' : `outputs.${i}.parameters.binary_data`
  const datatype = DATATYPES[plan.dtype]
  const message = `${quoted(field)} must be true: sending ${datatype} via JSON is not supported. Please use the binary data format.`
  throw new InletError('invalid_request', message, field)
}

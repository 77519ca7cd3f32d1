import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { requestedArchitectureSchema } from '../../checkpoints/requested-architecture.js'
import { cardFields } from '../../first-layer/cards/card-json.js'
import { encodingName, type ModelCard } from '../../first-layer/cards/model-card.js'
import { bytesOf, type TableShape } from '../../first-layer/embeddings/table-memory.js'
import { parse } from '../../first-layer/options/parse.js'
import type { FloatDtype } from '../../first-layer/tensors/named-tensor.js'
import {
  FLOAT_DTYPES,
  type SafetensorsHeader,
  type StoredTensor,
} from '../../first-layer/tensors/safetensors/header.js'
import type { ModelEntry } from '../../models/entry.js'
import { jsonOrText } from '../../models/variables.js'
import { InletError, shown } from '../../service/answer/error-table.js'
import type { ModelAdmin, UploadPlan } from '../../service/models/keeper/keeper.js'
import { FileReader, invalidFile, readHeader } from '../../service/request/body/file-reader.js'
import { bodyChunks } from '../../service/request/body/read-body.js'

/**
 * Receives a safetensors file: reads its header, then its tensors straight into memory that the service has
 * reserved for them, and replaces the model's tables after the last byte. Where anything fails before, no model
 * has changed.
 *
 * @param plan decides from the header which tables of which model the file replaces
 * @throws InletError `invalid_request` for a file that is not safetensors or not complete; what `plan` and
 *   `ModelAdmin` throw
 */
export async function receiveTables(
  request: FastifyRequest,
  admin: ModelAdmin,
  plan: (header: SafetensorsHeader) => UploadPlan,
): Promise<ModelEntry> {
  // No limit here: the file's own header gives its exact length.
  const file = new FileReader(bodyChunks(request, Number.MAX_SAFE_INTEGER), request.claim)
  try {
    const header = await readHeader(file, request.claim)
    const { upload, tables } = await admin.openUpload(plan(header))
    try {
      for (const { name, start, end } of header.tensors) {
        const place = tables.places.find((each) => each.name === name)!
        const missing = end - start - (await file.fill(bytesOf(tables, place)))
        if (missing > 0)
          throw invalidFile(`The last ${missing} bytes of ${JSON.stringify(name)} are missing.`)
      }
      if (!(await file.isAtEnd())) throw invalidFile('Bytes follow the last tensor.')
    } catch (error) {
      await admin.abandonUpload(upload)
      throw error
    }
    return await admin.commitUpload(upload, file.digest())
  } finally {
    await file.close()
  }
}

/** The tensors of a file as tables; one of another type than tables have keeps its own name for it, and fits no model. */
export function fileTables(tensors: readonly StoredTensor[]): readonly TableShape[] {
  return tensors.map(({ name, shape, dtype }) => ({
    ...{ name, shape, dtype: FLOAT_DTYPES[dtype] ?? (dtype as FloatDtype) },
  }))
}

const { encoding, architecture, position_embedding } = cardFields

/** The fields of a card that the shapes in a file do not give. Other fields are refused. */
const schema = z.strictObject({ encoding, architecture, position_embedding })
export type MetadataFields = z.output<typeof schema>

/** The same of a file for a model that is there: its architecture may be a checkpoint's. */
const ownSchema = schema.extend({ architecture: requestedArchitectureSchema.optional() })

const PREFIX = ['__metadata__']

type Metadata = Readonly<Record<string, string>>

/**
 * A file's `__metadata__` as fields of a card: `{ "architecture": "bert", "position_embedding": "{\"type\":…}" }`.
 *
 * @throws InletError `invalid_request` naming the key
 */
export function metadataFields(metadata: Metadata): MetadataFields {
  return parse(schema, fieldsOf(metadata), PREFIX)
}

/** Skips `format`, which transformers writes and which is no fact of the model. */
function fieldsOf({ format: _, ...given }: Metadata): object {
  const position = given.position_embedding
  return position?.startsWith('{') ? { ...given, position_embedding: jsonOrText(position) } : given
}

/** Checks that the metadata of a file agrees with the card of its model. @throws InletError naming the key */
export function checkOwnMetadata(metadata: Metadata, card: ModelCard): void {
  const fields = parse(ownSchema, fieldsOf(metadata), PREFIX)
  const own: Readonly<Record<string, unknown>> = {
    encoding: encodingName(card),
    architecture: card.architecture,
    position_embedding: card.positionEmbedding,
  }
  for (const [name, value] of Object.entries(fields)) {
    if (!Object.hasOwn(metadata, name) || isDeepStrictEqual(value, own[name])) continue
    const rule = `must be the model’s, ${JSON.stringify(own[name])}, or left out`
    const param = `__metadata__.${name}`
    throw new InletError('invalid_request', `\`${param}\` ${rule}. Given: ${shown(metadata[name])}`, param)
  }
}

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { encodingName, type ModelCard } from '../../../first-layer/cards/model-card.js'
import { InletError, shown } from '../../../service/answer/error-table.js'
import { cardFields } from '../../../service/models/cards/card-fields.js'
import { requestedArchitectureSchema } from '../../../service/request/fields/architecture.js'
import { parse } from '../../../service/request/fields/issue.js'

const { encoding, architecture, position_embedding } = cardFields

/** The fields of a card that the shapes in a file do not give. Other fields are refused. */
const schema = z.strictObject({ encoding, architecture, position_embedding })
export type MetadataFields = z.output<typeof schema>

/** The same of a file for a model that is there: its architecture may be a checkpoint's. */
const ownSchema = schema.extend({ architecture: requestedArchitectureSchema.optional() })

const PREFIX = ['__metadata__']

/**
 * A file's `__metadata__` as fields of a card: `{ "architecture": "bert", "position_embedding": "{\"type\":…}" }`.
 * Skips `format`, which transformers writes and which is no fact of the model.
 *
 * @throws InletError `invalid_request` naming the key
 */
export function metadataFields(metadata: Readonly<Record<string, string>>): MetadataFields {
  return parse(schema, fieldsOf(metadata), PREFIX)
}

function fieldsOf({ format: _, ...given }: Readonly<Record<string, string>>): object {
  const position = given.position_embedding
  return position?.startsWith('{') ? { ...given, position_embedding: json(position) } : given
}

/**
 * Checks that the metadata of a file for an existing model agrees with the model's card.
 *
 * @throws InletError naming the key
 */
export function checkOwnMetadata(metadata: Readonly<Record<string, string>>, card: ModelCard): void {
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

/** The value of a JSON text. A text that is not JSON is returned as it is, and the schema then refuses it. */
function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

import { z } from 'zod'
import { holdsTensors, type Recipe, TARGETS } from '../../run/recipe.js'
import { queryReader } from '../../wire/query.js'
import { datasetUpload } from '../../wire/schemas/dataset-upload.js'
import { fieldsOf } from '../../wire/schemas/fields.js'
import { FieldFlags } from '../field-flags.js'

const { encoding, model, allowed_special, document_end, documents, text_field } = datasetUpload.shape

/** What `inlet run` makes of texts: the fields of an upload, under the same names where the service has them. */
const runFields = z
  .strictObject({
    to: z
      .enum(TARGETS)
      .default('ids')
      .describe(
        'ids: the files of a dataset. bin: ids without a header, as nanoGPT’s train.bin. megatron: .bin and .idx of Megatron-LM. safetensors, npy: embeddings.',
      ),
    encoding: encoding.describe('Name of the encoding that makes ids of text. Default: gpt2.'),
    model: model.describe('The tokenizer of a model instead: a name that inlet models lists, or a folder.'),
    allowed_special,
    document_end,
    documents: documents.describe('.txt: one document (default), or one a line; empty lines are none.'),
    text_column: text_field.describe(
      '.ndjson, .parquet: the member, or column, that has the text. Default: text.',
    ),
    dtype: z
      .enum(['uint16', 'uint32'])
      .optional()
      .describe(
        '--to bin: uint16 or uint32. Default: uint16 where every id fits. Of tensors: float32, float16 or bfloat16.',
      ),
  })
  .superRefine(({ model, encoding, to, dtype }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (model !== undefined && encoding !== undefined) refuse('encoding', 'must not be given beside `model`')
    if (dtype !== undefined && to !== 'bin') refuse('dtype', 'must not be given without `to` bin')
  })

const read = queryReader(runFields)
const flags = new FieldFlags(fieldsOf(runFields))

export const recipeFlags = flags.flags

/** What the flags ask for; the tokenizer by its name alone. */
export type AskedRun = Omit<Recipe, 'tokenizer'> & {
  readonly encoding: string | undefined
  readonly model: string | undefined
}

/** @throws UsageError that names the flag, the rule and the value given */
export function readRunFlags(values: ReadonlyMap<string, string>): AskedRun {
  const ownDtype = !holdsTensors(values.get('to'))
  const given = new Map([...values].filter(([name]) => ownDtype || name !== 'dtype')) // that of tensors is another
  const { to, encoding, model, dtype, ...fields } = flags.checked(() => read(flags.query(given)))
  return {
    ...{ to, encoding, model, dtype },
    documents: fields.documents ?? 'one',
    textColumn: fields.text_column ?? 'text',
    documentEnd: fields.document_end,
    allowedSpecial: fields.allowed_special,
  }
}

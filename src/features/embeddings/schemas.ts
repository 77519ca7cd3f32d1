import { z } from 'zod'
import { inputField } from '../../first-layer/given.js'
import { boundedList, numberList } from '../../first-layer/options/lists.js'
import { VECTOR_DTYPES } from '../../first-layer/pooling/quantized.js'

/** Types of embeddings whose numbers fill a byte. */
export const BYTE_DTYPES = ['int8', 'uint8', 'binary', 'ubinary'] as const

/** Most numbers of a range: more than any embedding has. */
const MAX_NUMBERS = 65_536

const notANumber = (value: unknown) => (Number.isFinite(value) ? undefined : 'must be a number')

const rangesField = boundedList(numberList(MAX_NUMBERS, notANumber, { type: 'number' }), 2, 2).describe(
  'For `int8` and `uint8`: the least and the greatest value of each dimension in a sample of embeddings. Default: those of the model’s calibration.safetensors.',
)

/** The body of `POST /v1/embeddings`. */
export const embeddingsRequest = z
  .strictObject({
    input: inputField,
    model: z.string().optional().describe('Id of a static model. Default: the service’s default model.'),
    dimensions: z
      .int()
      .min(1)
      .optional()
      .describe(
        'How many of an embedding’s first numbers are wanted; they are normalized again where the model normalizes. Default: all.',
      ),
    encoding_format: z
      .enum(['float', 'base64', ...BYTE_DTYPES])
      .default('float')
      .describe(
        'Arrays of numbers, or one string for each embedding: its numbers, little-endian, in base64. The name of a type stands for arrays of that `output_dtype`.',
      ),
    output_dtype: z
      .enum(VECTOR_DTYPES)
      .optional()
      .describe(
        'Type of the numbers: float32; steps within ranges (`int8`, `uint8`); a bit each, eight in a byte (`binary` as int8, `ubinary` as uint8). Default: `float`.',
      ),
    ranges: rangesField.optional(),
    user: z.string().optional().describe('Who asks. It changes nothing.'),
  })
  .superRefine(({ encoding_format: format, output_dtype: dtype }, context) => {
    if (dtype === undefined || format === 'float' || format === 'base64' || format === dtype) return
    context.addIssue({
      code: 'custom',
      path: ['output_dtype'],
      message: `must be ${format} beside that \`encoding_format\``,
    })
  })

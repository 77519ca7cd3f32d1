import type { z } from 'zod'
import type { cardSchema } from '../first-layer/cards/card-json.js'
import type { recipeSchema } from '../first-layer/datasets/recipe-options.js'
import type { embeddingGradients, rowGradients } from '../first-layer/learning/gradient-call.js'
import type { stepOptions } from '../first-layer/learning/optimizer-options.js'
import type { embedOptions } from '../first-layer/options/embedding.js'
import type { tokenizeOptions } from '../first-layer/options/tokenize.js'
import type { trainingOptions } from '../first-layer/options/training.js'

// The build writes these types out with their descriptions (build-types.mjs): the package needs no zod.

/** How a text becomes ids. */
export type TokenizeOptions = Partial<z.input<z.ZodObject<typeof tokenizeOptions>>>

/** The fields of `POST /v1/input-embeddings`, under the same names, with the same defaults. */
export type EmbedOptions = z.input<typeof embedOptions>

/** A card as JSON, as `models/tiny/inlet.json`: `{ "vocab_size": 6, "embedding_dim": 3 }`. */
export type CardJson = Partial<z.input<typeof cardSchema>>

/** The fields of a recipe, with the names and defaults of the HTTP service's datasets. */
export type DatasetRecipeOptions = Omit<z.input<typeof recipeSchema>, 'shuffle'> & {
  /** `true`: PyTorch’s loader under `seed`; `index`: a keyed order for any number of windows. Default: false. */
  shuffle?: boolean | 'index'
}

/** Gradients of `input_embeddings`, of a model whose first layer is token rows plus position rows and nothing more. */
export type EmbeddingGradients = z.input<typeof embeddingGradients>

/** Gradients of rows, made by the trainer's own backward. */
export type RowGradients = z.input<typeof rowGradients>

/** Options of one step, in place of the optimizer's own. */
export type LearnerStepOptions = z.input<typeof stepOptions>

/** What `trainTokenizer` takes. */
export type TrainTokenizerOptions = z.input<typeof trainingOptions>

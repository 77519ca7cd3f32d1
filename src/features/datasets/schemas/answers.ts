import { z } from 'zod'
import { ID_DTYPES, type IdDtypeName } from '../../../first-layer/datasets/id-dtypes.js'
import { recipeOptions } from '../../../first-layer/datasets/recipe-options.js'
import { count, flag, object, text } from '../../../service/document/components.js'

const STORED_DTYPES = Object.keys(ID_DTYPES).filter((name) => name !== 'int32') as Exclude<
  IdDtypeName,
  'int32'
>[]

const datasetMember = object('DatasetMember', {
  dataset: text('Its id.'),
  weight: z.number().describe('Its share, beside those of the others.'),
})

const datasetStage = object('DatasetStage', {
  from_window: count('The window of the stream that it begins with.'),
  weights: z.array(z.number()).describe('One for each member.'),
})

const refusedChat = object('RefusedChat', {
  line: count('Its line in the upload, from 1.'),
  turn: count('The message without an exact mask; null: the chat as a whole.').nullable(),
  reason: z.enum(['not_rendered', 'opens_next_turn', 'rewrites_history']),
})

const chatCounts = object('ChatCounts', {
  num_chats: count('Chats of the upload.'),
  num_whole: count('Chats that are one document.'),
  num_by_turn: count('Chats with a document for each turn.'),
  num_refused: count('Chats that were left out.'),
  refused: z.array(refusedChat).describe('The first ten of these.'),
  num_target_tokens: count('Trained tokens but the first of a document.'),
  num_prefilled: count('Turns whose beginning the prompt writes.'),
  num_without_stop: count('Turns without an end: a model trained on them does not learn to stop.'),
  num_straddling: count('Tokens that only overlap a turn, and are not trained.'),
  num_untrained: count('Documents without a trained token.'),
})

/** `GET /v1/datasets/{dataset}`: one object for both kinds, since generated clients have no use for a union. */
export const datasetAnswer = object('Dataset', {
  id: text('Of the content: `ds_`, or `mx_` of a mixture, and 26 letters.'),
  object: z.literal('dataset'),
  name: text('A name for people.').nullable(),
  encoding: text(
    'What made its ids: an encoding, or a model with a tokenizer of its own; null: ids came as ids.',
  ).nullable(),
  allowed_special: z
    .any()
    .optional()
    .describe(
      'The special tokens that counted as such: an array of literals, or `all`; null where ids came.',
    ),
  document_start: count('The id that was put before each document.').nullable().optional(),
  document_start_literal: text('Its literal, as `<s>`.').nullable().optional(),
  document_end: count('The id that was appended to each document.').nullable().optional(),
  document_end_literal: text('Its literal, as `<|endoftext|>`.').nullable().optional(),
  num_documents: count('Not of mixtures, as all that follows down to `created`.').optional(),
  num_tokens: count('Ids of all documents.').optional(),
  num_characters: count('Unicode code points; null where ids came.').nullable().optional(),
  dtype: z.enum(STORED_DTYPES).optional().describe('Element type of the tokens file.'),
  size_bytes: count('Bytes of its files.').optional(),
  max_token_id: count('The highest id; null where there is none.').nullable().optional(),
  sha256: text('Of the tokens file, in hexadecimal.').optional(),
  mask: z
    .enum(['sampled', 'tags', 'all'])
    .optional()
    .describe('Of chats, as the next three: the law of their masks.'),
  turns: z.enum(['auto', 'whole', 'each', 'last']).optional().describe('What became a document.'),
  trailing: z.enum(['mask', 'train']).optional().describe('What follows the end of a turn.'),
  chats: chatCounts.optional().describe('What became of them.'),
  mixture: z.array(datasetMember).optional().describe('The members of a mixture.'),
  stages: z.array(datasetStage).optional().describe('Of a mixture whose weights change.'),
  created: count('Seconds since 1970.'),
  stored: z.enum(['disk', 'memory']).describe('`memory`: without DATA_DIR; it ends with the process.'),
})

/** `GET /v1/datasets`. */
export const datasetsAnswer = object('DatasetList', {
  object: z.literal('list'),
  data: z.array(datasetAnswer).describe('The newest first.'),
  has_more: flag('Whether more come after the last one: `after` names it.'),
})

/** `GET /v1/datasets/{dataset}/documents/{document}`. */
export const datasetDocument = object('DatasetDocument', {
  document: count('Its number.'),
  start: count('Place of its first token in the dataset.'),
  num_tokens: count('Its tokens.'),
  input_ids: z.array(z.int().min(0)).describe('Its ids.'),
  loss_mask: z.array(z.int().min(0).max(1)).optional().describe('Of chats: 1 where a token is trained.'),
  text: text('Their text; null where the dataset has no encoding.').nullable(),
  lossy: flag('Whether bytes that are not UTF-8 came as U+FFFD.').optional(),
})

/** Which batch an answer is of. */
export const batchPlace = {
  dataset: text('Its id.'),
  recipe_id: text('Of what decides order and content.'),
  epoch: count('The epoch.'),
  batch_index: count('The batch, the first one of several.'),
  num_batches: count('Batches of an epoch; not of a mixture.').optional(),
}

const seenText = object('SeenText', {
  text: text('Of tokens side by side.'),
  trained: flag('Whether they are; without a mask all are.'),
})

const seenDocument = object('SeenDocument', {
  row: count('The row of the batch that its tokens stand in.'),
  dataset: text('Of a mixture: the member that it is from.').optional(),
  document: count('Its number in its dataset.'),
  line: count('Its line in the upload that made the dataset, from 1; where that is known.').optional(),
  start: count('The slot of the row that its first token here stands in.'),
  end: count('The slot behind its last one.'),
  first_token: count('That first token’s place in the document.'),
  num_tokens: count('Its tokens in the row.'),
  num_target_tokens: count('Of them those with a trained target.'),
  texts: z.array(seenText).optional().describe('Under `text`, where the dataset has an encoding.'),
})

/** `GET /v1/datasets/{dataset}/batches/{batch}/documents`. */
export const batchDocumentsAnswer = object('DatasetBatchDocuments', {
  ...batchPlace,
  documents: z.array(seenDocument).describe('Row by row; slots behind those of a row are padding.'),
})

const plannedRecipe = object('DatasetRecipe', {
  ...recipeOptions,
  stride: z.int().min(1).describe('Tokens from one window to the next.'),
  tail: z.enum(['drop', 'pad']).describe('What becomes of tokens after the last full window.'),
  pad_token_id: count('Id in padded slots; null where there is none.').nullable(),
  shuffle: z.any().describe('`true`, `false` or `"index"`.'),
  seed: z.any().describe('A number, beyond 2^53 − 1 a string; null where there is none.'),
})

const datasetShare = object('DatasetShare', {
  dataset: text('Its id.'),
  num_windows: count('Windows of one epoch of it.'),
  windows_per_block: z.array(z.int().min(0)).describe('For each stage its windows in a block of 1,024.'),
  first_epoch_ends_at: count(
    'The window of the stream behind its first epoch; null where that never ends.',
  ).nullable(),
})

/** `GET /v1/datasets/{dataset}/batches`. */
export const datasetPlan = object('DatasetPlan', {
  dataset: text('Its id.'),
  recipe: plannedRecipe.describe('Every field of the recipe.'),
  recipe_id: text('Of what decides order and content.'),
  num_windows: count('Windows of an epoch; of a mixture, of one epoch of each member.'),
  num_batches: count('Batches of an epoch; not of a mixture, which does not end.').optional(),
  num_dropped_windows: count('Windows that `drop_last` leaves out.').optional(),
  fill: z.number().describe('Share of the slots that hold tokens.'),
  num_padding: count('Slots that hold none.'),
  num_dropped_tokens: count('Tokens that no window holds.'),
  num_split_documents: count('Documents that stand in more than one window.'),
  num_target_tokens: count('Of chats: trained targets of the windows.').optional(),
  num_untrained_pieces: count('Pieces without one, which best_fit leaves out.').optional(),
  num_dropped_documents: count('Documents that `long_documents` drop leaves out.').optional(),
  longest_document: count('Its tokens.'),
  shares: z.array(datasetShare).optional().describe('Of a mixture, for each member.'),
  note: text('What a trainer may want otherwise.').optional(),
})

import { z } from 'zod'
import { corpusFields, datasetFields } from '../../../corpus/dataset-card.js'
import { recipeOptions } from '../../../first-layer/datasets/recipe-options.js'
import { count, flag, object, text } from '../../../service/document/components.js'

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
  id: datasetFields.id,
  object: z.literal('dataset'),
  name: datasetFields.name,
  encoding: datasetFields.encoding,
  ...z.object(corpusFields).partial().shape,
  chats: chatCounts.optional().describe('What became of them.'),
  mixture: z.array(datasetMember).optional().describe('The members of a mixture.'),
  stages: z.array(datasetStage).optional().describe('Of a mixture whose weights change.'),
  created: datasetFields.created,
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

import { computed, signal } from '@preact/signals'
import type { InletError } from '../../../../clients/typescript/src/index.js'
import { batchOf, positionIn } from './answer.js'
import type { Answer } from './load.js'
import { unmerged } from './merges.js'
import { presets, type Recipe } from './recipe.js'

/** The selection that all cards share: a token of a document, and a channel of its row. */
interface Selection {
  readonly document: number
  readonly token: number
  readonly channel: number
}

export const recipe = signal<Recipe>(presets[0].recipe)

/** The last whole answer. It stays while another is under way. */
export const answer = signal<Answer | undefined>(undefined)

/** The text of the answer, each byte a token. */
export const bytesOfText = signal(unmerged([]))

/** Why the last call has no answer. */
export const error = signal<InletError | undefined>(undefined)

/** Whether the answer on screen is older than the recipe. */
export const isLoading = signal(false)

export const selection = signal<Selection>({ document: 0, token: 1, channel: 0 })

/** The step of the guided walk; undefined: no walk is under way. */
export const step = signal<number | undefined>(undefined)

/** Whether the walk's question is answered. */
export const isRevealed = signal(false)

/** Whether the walk waits for the reader's own answer. */
export const asks = computed(() => step.value !== undefined && !isRevealed.value)

/** The selected token's window and position in the batch; undefined if it is in no window of it. */
export const at = computed(() => {
  const { document, token } = selection.value
  return answer.value && positionIn(answer.value.batch, document, token)
})

/** Changes some fields of the recipe; the first batch follows unless one is named. */
export function change(fields: Partial<Recipe>): void {
  recipe.value = { ...recipe.value, batch_index: 0, ...fields }
}

export function select(part: Partial<Selection>): void {
  selection.value = { ...selection.value, ...part }
}

/** Selects a token of a document; where no window of the batch on screen has it, the batch that has it follows. */
export function selectToken(document: number, token: number): void {
  select({ document, token })
  const current = answer.value
  if (current === undefined || positionIn(current.batch, document, token) !== undefined) return
  const batch = batchOf(current, document, token)
  if (batch !== undefined && batch !== recipe.value.batch_index) change({ batch_index: batch })
}

/** Text that a screen reader speaks next. */
export const spoken = signal('')

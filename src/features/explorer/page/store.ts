import { computed, signal } from '@preact/signals'
import { type InletError, type Model, Refused } from '../../../../clients/typescript/src/index.js'
import { type Answer, batchOf, placeIn } from './answer.js'
import { presets, type Recipe } from './recipe.js'

/** The axes of the tensors: windows, positions, channels. */
export type Axis = 'B' | 'T' | 'C'

/** The selection that all cards share: a token of a document, and a channel of its row. */
interface Selection {
  readonly document: number
  readonly token: number
  readonly channel: number
}

export const recipe = signal<Recipe>(presets[0].recipe)

/** The last whole answer. It stays while another is under way. */
export const answer = signal<Answer | undefined>(undefined)

/** Why the recipe that is asked for has no answer. */
export const error = signal<InletError | undefined>(undefined)

export const refusedField = computed(() => (error.value instanceof Refused ? error.value.param : null))

/** How often in a row the recipe was asked for in vain. */
export const attempts = signal(0)

/** Whether the answer on screen is older than the recipe. */
export const isLoading = signal(false)

export const selection = signal<Selection>({ document: 0, token: 1, channel: 0 })

/** The axis that all cards light up. */
export const axis = signal<Axis | undefined>(undefined)

export const models = signal<readonly Model[]>([])

/** The key that the calls bring, kept for the tab alone; '' is none. */
export const apiKey = signal('')

/** The card that the guided walk is at. */
export const walked = signal<string | undefined>(undefined)

/** The selected token's place in the batch; undefined if it is in no window of it. */
export const at = computed(() => answer.value?.placeOf(selection.value))

export const model = computed(() => models.value.find(({ id }) => id === answer.value?.model))

/** Changes some fields of the recipe; the first batch follows unless one is named. */
export function change(fields: Partial<Recipe>): void {
  recipe.value = { ...recipe.value, batch_index: 0, ...fields }
}

export function select(part: Partial<Selection>): void {
  selection.value = { ...selection.value, ...part }
}

/** Text that a screen reader speaks next. */
export const spoken = signal('')

export function say(words: string): void {
  spoken.value = words
}

/** Selects a token of a document; where no window of the batch on screen has it, the batch that has it follows. */
export function selectToken(document: number, token: number): void {
  select({ document, token })
  const current = answer.value
  if (current === undefined || placeIn(current.batch, document, token) !== undefined) return
  const batch = batchOf(current, document, token)
  if (batch !== undefined && batch !== recipe.value.batch_index) change({ batch_index: batch })
}

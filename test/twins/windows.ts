/** A window, written out. */
export interface TwinWindow {
  readonly document: number
  readonly start: number
  readonly inputs: readonly number[]
  readonly targets: readonly number[]
  readonly mask: readonly number[]
}

export interface TwinRule {
  readonly context_length?: number
  readonly stride?: number
  readonly tail?: 'drop' | 'pad'
  readonly pad_token_id: number
}

/** The starts of windows by the contract's rule, one step at a time. */
function starts(n: number, context_length: number, stride: number, tail: 'drop' | 'pad'): number[] {
  const found: number[] = []
  if (tail === 'drop') {
    for (let start = 0; start < n - context_length; start += stride) found.push(start)
    return found
  }
  for (let start = 0; start < n; start += stride) {
    found.push(start)
    if (start + context_length >= n) break
  }
  return found
}

/** Every window of every document, slot by slot, and how many tokens no window touches: each one is marked. */
export function twinWindows(
  documents: readonly (readonly number[])[],
  rule: TwinRule,
): { windows: TwinWindow[]; droppedTokens: number } {
  const whole = rule.context_length === undefined
  const context_length = rule.context_length ?? Math.max(...documents.map((ids) => ids.length))
  const stride = rule.stride ?? context_length
  const windows: TwinWindow[] = []
  let droppedTokens = 0
  for (const [document, ids] of documents.entries()) {
    const touched = ids.map(() => false)
    const found = whole ? [0] : starts(ids.length, context_length, stride, rule.tail ?? 'drop')
    for (const start of found) {
      const inputs: number[] = []
      const targets: number[] = []
      const mask: number[] = []
      for (let slot = start; slot < start + context_length; slot++) {
        const isToken = slot < ids.length
        const hasNext = slot + 1 < ids.length
        inputs.push(isToken ? ids[slot] : rule.pad_token_id)
        targets.push(hasNext ? ids[slot + 1] : -100)
        mask.push(isToken ? 1 : 0)
        if (isToken) touched[slot] = true
        if (hasNext) touched[slot + 1] = true
      }
      windows.push({ document, start, inputs, targets, mask })
    }
    droppedTokens += touched.filter((token) => !token).length
  }
  return { windows, droppedTokens }
}

/** The windows as a loader's batches: chunks of `batch_size`, the short last one left out under `drop_last`. */
export function twinBatches<Window>(
  windows: readonly Window[],
  batchSize: number,
  dropLast: boolean,
): Window[][] {
  const batches: Window[][] = []
  for (let from = 0; from < windows.length; from += batchSize) {
    const batch = windows.slice(from, from + batchSize)
    if (batch.length === batchSize || !dropLast) batches.push(batch)
  }
  return batches
}

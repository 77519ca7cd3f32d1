import { type DocumentLengths, lastAtMost } from './documents.js'

/** How a document's end is treated: `drop` keeps only windows with T inputs and T targets, `pad` keeps all tokens. */
export type Tail = 'drop' | 'pad'

export interface WindowRule {
  /** T. Absent: each document is one window of its length. */
  readonly context_length?: number
  /** Step between window starts, in tokens. Larger than T leaves tokens out, smaller overlaps. */
  readonly stride?: number
  readonly tail?: Tail
}

/**
 * The windows of a request, in document order, known by arithmetic: nothing is stored per window, so that a
 * 64 M-token text under stride 1 costs no memory.
 */
export interface Windows {
  /** T: tokens in each window. */
  readonly contextLength: number
  /** Windows of all documents together. */
  readonly count: number
  /** Tokens that no window holds, neither as input nor as target. */
  readonly droppedTokens: number
  /** Whether windows of this rule may hold fewer than T tokens. */
  readonly canPad: boolean
  /** Whether one of these windows does hold fewer than T tokens. */
  readonly pads: boolean
  /** The document (index in the request) of window `index`, and the window’s start there, in tokens. */
  locate(index: number): { document: number; start: number }
}

/**
 * Windows of a document of `n` tokens under `drop`: the starts `range(0, n − T, stride)`, so that the last
 * window still has a target for each input. 10 tokens, T 4, stride 4 → 2 (starts 0 and 4).
 */
function countDropWindows(n: number, contextLength: number, stride: number): number {
  return n > contextLength ? Math.ceil((n - contextLength) / stride) : 0
}

/**
 * Windows of a document of `n` tokens under `pad`: starts k·stride below n, up to the first window that
 * reaches the end. 10 tokens, T 4, stride 4 → 3 (the last one holds 2 tokens).
 */
function countPadWindows(n: number, contextLength: number, stride: number): number {
  const toReachEnd = n > contextLength ? Math.ceil((n - contextLength) / stride) + 1 : 1
  return Math.min(toReachEnd, Math.ceil(n / stride))
}

/** Tokens that `count` windows at 0, stride, … hold as input or target, of a document of `n` tokens. */
function coveredTokens(n: number, count: number, contextLength: number, stride: number): number {
  if (count === 0) return 0
  const reach = contextLength + 1 // the last input's target
  const last = Math.min(reach, n - (count - 1) * stride)
  return (count - 1) * Math.min(stride, reach) + last
}

/**
 * The windows of `documents` under `rule`. Documents shorter than a window under `drop` give none. Takes 8 bytes a
 * document.
 */
export function planWindows(documents: DocumentLengths, rule: WindowRule): Windows {
  if (rule.context_length === undefined) return wholeDocuments(documents)
  const contextLength = rule.context_length
  const { firstWindow, droppedTokens, pads } = countWindows(documents, contextLength, rule)
  return {
    contextLength,
    count: firstWindow[documents.count],
    droppedTokens,
    canPad: rule.tail === 'pad',
    pads,
    locate: locator(firstWindow, rule.stride ?? contextLength),
  }
}

/**
 * Counts the windows of each document: d has the windows `firstWindow[d]`, …, `firstWindow[d + 1]` − 1.
 *
 * @param allocate memory for this running count
 */
export function countWindows(
  documents: DocumentLengths,
  contextLength: number,
  rule: Omit<WindowRule, 'contextLength'>,
  allocate: (length: number) => Float64Array = (length) => new Float64Array(length),
) {
  const stride = rule.stride ?? contextLength
  const countOf = rule.tail === 'pad' ? countPadWindows : countDropWindows
  const firstWindow = allocate(documents.count + 1)
  let droppedTokens = 0
  let pads = false
  for (let d = 0; d < documents.count; d++) {
    const n = documents.length(d)
    const count = countOf(n, contextLength, stride)
    firstWindow[d + 1] = firstWindow[d] + count
    droppedTokens += n - coveredTokens(n, count, contextLength, stride)
    pads ||= count > 0 && (count - 1) * stride + contextLength > n
  }
  return { firstWindow, droppedTokens, pads }
}

/** Finds the document of a window, and the window's start there, by the running count of windows. */
export function locator(firstWindow: Float64Array, stride: number): Windows['locate'] {
  let document = 0 // of the window located last: the next one is usually near it
  return (index) => {
    if (index >= firstWindow[document + 1] && index < firstWindow[document + 2]) document++
    else if (index < firstWindow[document] || index >= firstWindow[document + 1])
      document = lastAtMost(firstWindow.length - 1, (d) => firstWindow[d], index)
    return { document, start: (index - firstWindow[document]) * stride }
  }
}

function wholeDocuments(documents: DocumentLengths): Windows {
  return {
    contextLength: documents.longest,
    count: documents.count,
    droppedTokens: 0,
    canPad: documents.count > 1,
    pads: documents.totalTokens < documents.count * documents.longest,
    locate: (index) => ({ document: index, start: 0 }),
  }
}

import { batch, cat, type Recipe } from './recipe.js'

/** A step of the walk: a question to be answered before the page answers it. */
interface Step {
  /** The card that it is about. */
  readonly card: string
  readonly title: string
  readonly question: string
  readonly answer: string
  /** The recipe that the step shows; absent: that of the cat. */
  readonly recipe?: Recipe
  /** Absent: the second of the first document. */
  readonly token?: { readonly document: number; readonly token: number }
}

const river: Recipe = {
  text: 'In the heart of the city stood the old library, a relic from a bygone era.',
  documents: 'one',
  context_length: 4,
  stride: 4,
  ...batch,
}

/** Ten steps, in the order in which a text becomes what a model reads. */
export const steps: readonly Step[] = [
  {
    card: 'tokens',
    title: 'Words become tokens',
    question:
      'A model reads numbers. Into how many pieces is “The cat sat on the mat” cut, and where do the spaces go?',
    answer: 'Six. A space belongs to the token after it: “·cat” and “cat” are two different tokens.',
  },
  {
    card: 'tokens',
    title: 'Half a character',
    question:
      'The tokenizer knows bytes, not letters. How many tokens is one emoji that it has never seen whole?',
    answer:
      'Several, and none of them is a character: each has some of its bytes. The dashed frame holds them together.',
    recipe: { text: 'a cat 🐈 sat', documents: 'one', ...batch },
    token: { document: 0, token: 2 },
  },
  {
    card: 'windows',
    title: 'Windows and targets',
    question: 'The window holds four tokens. What is the model to say at its third position?',
    answer: 'The fourth token. Below each input stands its target: the same text, one token on.',
    recipe: river,
    token: { document: 0, token: 2 },
  },
  {
    card: 'windows',
    title: 'The stride',
    question: 'The stride is now two. Which tokens does the second window share with the first?',
    answer: 'The last two of the first window: hatched. A stride above the length would skip tokens.',
    recipe: { ...river, stride: 2 },
    token: { document: 0, token: 2 },
  },
  {
    card: 'table',
    title: 'A row of the table',
    question:
      'The id of “·cat” is 3797. Which row of the table is it, and what is the row for its other position?',
    answer:
      'The 3,798th, because counting starts at 0; and the same one at every position. A table knows no order.',
  },
  {
    card: 'positions',
    title: 'A second table',
    question: 'The sentences have the same words. What can tell the model that the cat has moved?',
    answer: 'A row for each position. Both windows take the same rows of this table, 0 to 5.',
    token: { document: 1, token: 4 },
  },
  {
    card: 'sum',
    title: 'The sum',
    question: 'The token rows are [B, T, C], the position rows [T, C]. How can they be added?',
    answer:
      'The position rows are used again for every window (broadcasting), channel by channel. Read a cell.',
    token: { document: 1, token: 4 },
  },
  {
    card: 'same-word',
    title: 'The cat at two positions',
    question: 'The table’s rows of the two cats are equal: cosine 1. How alike are their sums?',
    answer: 'About a half: half of what the model reads is the word, half is the position.',
  },
  {
    card: 'positions',
    title: 'Another way to tell the position',
    question: 'RoPE turns queries and keys by an angle. What does it add to the rows?',
    answer:
      'Nothing: the input embeddings are the token rows. The position comes in where two tokens are compared.',
    recipe: { ...cat, position_embedding: 'rope' },
  },
  {
    card: 'table',
    title: 'Before learning',
    question: 'The rows are drawn at random. Is the row of “cat” like the row of a word that is used alike?',
    answer:
      'No: near and far mean nothing yet. Training moves the rows until words that are used alike lie together.',
  },
]

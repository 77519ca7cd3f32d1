import { type Position, presets, type Recipe } from './recipe.js'

/** Before the packed recipe; a later form has a higher number. */
const MARK = /^#v(\d+)=(.*)$/s
const VERSION = 1

/** Most characters of a link with its text in it: mail and chat cut longer ones. */
const MAX_LINK = 8192

/** Most characters of a text that is worth packing: random ones take more than a byte each. */
const MAX_TEXT = 1 << 17

interface Fragment {
  readonly fragment: string
  /** The text is in it. */
  readonly hasText: boolean
}

/**
 * A recipe as a fragment of an address, which is never sent to a server: `#v1=…`. A preset's text goes by the preset's
 * name; another one that would make the link too long stays away.
 */
export async function fragmentOf(recipe: Recipe, step?: number): Promise<Fragment> {
  const { text, ...others } = recipe
  const preset = presets.find((each) => each.recipe.text === text)
  if (text.length <= MAX_TEXT) {
    const fragment = await written({ recipe, step })
    if (fragment.length <= MAX_LINK) return { fragment, hasText: true }
  }
  const fragment = await written({ recipe: others, step, textOf: preset?.name })
  return { fragment, hasText: preset !== undefined }
}

async function written(shared: object): Promise<string> {
  return `#v${VERSION}=${await pack(JSON.stringify(shared))}`
}

/** The fault of a link, in a sentence for the reader who opened it. */
export class LinkError extends Error {}

/**
 * Reads a fragment; undefined for one that is no link of this page.
 *
 * @throws LinkError for a later version, or a link that has lost letters
 */
export async function readFragment(fragment: string): Promise<Shared | undefined> {
  const found = MARK.exec(fragment)
  if (found === null) return undefined
  if (Number(found[1]) !== VERSION) {
    throw new LinkError(
      `This link is of version ${found[1]}; this page reads version ${VERSION}. Open it where it was made, or go on with the recipe below.`,
    )
  }
  try {
    const json = JSON.parse(await unpack(found[2]))
    const { recipe, step } = readShared(json)
    const text = recipe.text ?? presets.find(({ name }) => name === json.textOf)?.recipe.text
    return { recipe: text === undefined ? recipe : { ...recipe, text }, step }
  } catch {
    throw new LinkError(
      'This link is broken: letters of it are lost. Open it where it was made, or go on with the recipe below.',
    )
  }
}

/** Most bytes that a link may unpack to: a small one can hold gigabytes. */
const MAX_UNPACKED = 1 << 20

/** A text as deflated bytes in base64url: letters that need no escape in an address. */
export async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  let letters = ''
  for (let at = 0; at < bytes.length; at += 4096) {
    letters += String.fromCharCode(...bytes.subarray(at, at + 4096))
  }
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** @throws Error for what {@link pack} has not made, or what is too long */
async function unpack(packed: string): Promise<string> {
  const letters = atob(packed.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
    if (text.length > MAX_UNPACKED) {
      await reader.cancel()
      throw new RangeError('too long')
    }
  }
}

/** The content of a link: a recipe, whose text may be too long for it, and the step of the guided walk. */
export interface Shared {
  readonly recipe: Omit<Recipe, 'text'> & { readonly text?: string }
  readonly step?: number
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isString = (value: unknown) => typeof value === 'string'
const oneOf =
  (...names: readonly string[]) =>
  (value: unknown) =>
    names.includes(value as string)

/** The rule of each field. The service checks what it means. */
const RULES: Readonly<Record<keyof Recipe, (value: unknown) => boolean>> = {
  text: isString,
  documents: oneOf('one', 'lines', 'ids'),
  model: isString,
  context_length: isCount,
  stride: isCount,
  tail: oneOf('drop', 'pad'),
  pad_token_id: isCount,
  batch_size: isCount,
  batch_index: isCount,
  shuffle: (value) => typeof value === 'boolean',
  seed: Number.isSafeInteger,
  position_embedding: isPosition,
  position_offset: isCount,
  architecture: isString,
}

/**
 * Reads a link's JSON. Fields that this page does not know are left out.
 *
 * @throws RangeError for JSON that is no recipe
 */
function readShared(json: unknown): Shared {
  if (!isObject(json) || !isObject(json.recipe)) throw new RangeError('no recipe')
  const { recipe, step } = json
  const fields: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(RULES)) {
    const value = recipe[name]
    if (value === undefined) continue
    if (!rule(value)) throw new RangeError(`no ${name}`)
    fields[name] = value
  }
  const shared = { documents: 'one', batch_size: 8, batch_index: 0, ...fields } as Shared['recipe']
  return { recipe: shared, step: isCount(step) ? (step as number) : undefined }
}

/** The same recipe as the page knows it: a preset stays that preset. */
export function known(recipe: Recipe): Recipe {
  return presets.find((preset) => isEqual(preset.recipe, recipe))?.recipe ?? recipe
}

function isEqual(one: Recipe, other: Recipe): boolean {
  const names = Object.keys(RULES) as (keyof Recipe)[]
  return names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
}

function isPosition(value: unknown): value is Position {
  return (
    isObject(value) &&
    isString(value.type) &&
    Object.values(value).every((each) => ['string', 'number', 'boolean'].includes(typeof each))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

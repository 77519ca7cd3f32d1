import { presets } from '../recipe/presets.js'
import type { Recipe } from '../recipe/recipe.js'
import { pack, unpack } from './packed.js'
import { readShared, type Shared } from './shared-recipe.js'

/** Before the packed recipe; a later form has a higher number. */
const MARK = /^#v(\d+)=(.*)$/s
const VERSION = 1

/** Most characters of a link with its text in it: mail and chat cut longer ones. */
const MAX_LINK = 8192

/** Most characters of a text that is worth packing: random ones take more than a byte each. */
const MAX_TEXT = 1 << 17

export interface Fragment {
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

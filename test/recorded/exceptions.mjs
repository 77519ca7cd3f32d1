/**
 * Differences that are meant. Each has the places that it is at, `CONFIGURATION METHOD PATH`, the kind of difference,
 * and the reason for it.
 */
export const EXCEPTIONS = [
  {
    place: /^json POST .*\/neighbors$/,
    kind: /^(body|header content-length)$/,
    reason: 'a message shows the texts or ids of a large body as those of a small one, not as an object',
  },
  {
    place: /^commands inlet( \w+)?( --help| )?$/,
    kind: /^(stdout|stderr)$/,
    reason: 'the pages of help are laid out by commander; flags and their texts are the same',
  },
  {
    place: /^commands inlet embed - --model$/,
    kind: /^stderr$/,
    reason: 'a flag without its value is shown with the name of the value, as the help shows it',
  },
  {
    place: /^limits POST \/v1\/input-embeddings$/,
    kind: /^body$/,
    reason: 'a small body’s bytes stay reserved up to its request’s end also where MAX_DOCUMENTS is small',
  },
  {
    place: / (GET|HEAD) \/openapi\.(json|yaml)$/,
    kind: /^(body|header content-length)$/,
    reason:
      'error answers, examples and shared schemas are components: half the size; error examples have no summary',
  },
]

/** The reason why a difference is meant; undefined where it is not. */
export function reasonFor(place, kind) {
  return EXCEPTIONS.find((each) => each.place.test(place) && each.kind.test(kind))?.reason
}

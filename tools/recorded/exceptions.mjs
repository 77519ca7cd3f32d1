/**
 * Differences that are meant. Each has the places that it is at, `CONFIGURATION METHOD PATH`, the kind of difference,
 * and the reason for it.
 */
export const EXCEPTIONS = []

/** The reason why a difference is meant; undefined where it is not. */
export function reasonFor(place, kind) {
  return EXCEPTIONS.find((each) => each.place.test(place) && each.kind.test(kind))?.reason
}

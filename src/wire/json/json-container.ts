import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './characters.js'
import { tooManyKeys } from './json-bounds.js'
import type { JsonPlace, Rest } from './json-place.js'
import { readString } from './short-values.js'

/** An object or a list that is being read. */
class Container {
  /** Members or elements so far. */
  count = 0
  awaited: 'first' | 'next' | 'colon' | 'value' | 'comma' = 'first'
  /** The member's key, and where it begins. */
  key = ''
  start = 0

  constructor(
    readonly close: typeof CLOSE_OBJECT | typeof CLOSE_LIST,
    readonly readValue: (container: Container) => Rest,
    readonly most: number,
    readonly field?: string,
  ) {}
}

/** Reads the object that begins here. @param read gets each member, and moves the place behind its value */
export function readObject(
  place: JsonPlace,
  read: (key: string, start: number) => Rest,
  most: number,
  field?: string,
): Rest {
  place.expect(OPEN_OBJECT)
  return readAll(place, new Container(CLOSE_OBJECT, ({ key, start }) => read(key, start), most, field))
}

/** Reads the list that begins here. @param read gets each element's index, and moves the place behind the element */
export function readList(place: JsonPlace, read: (index: number) => Rest): Rest {
  place.expect(OPEN_LIST)
  return readAll(place, new Container(CLOSE_LIST, ({ count }) => read(count - 1), Number.POSITIVE_INFINITY))
}

function readAll(place: JsonPlace, container: Container): Rest {
  const wait = readWhile(place, container)
  return wait === undefined ? undefined : readRest(place, container, wait)
}

function* readRest(
  place: JsonPlace,
  container: Container,
  first: Steps<unknown> | typeof PAUSE,
): Steps<void> {
  for (let wait: typeof first | undefined = first; wait !== undefined; wait = readWhile(place, container)) {
    if (wait === PAUSE) yield PAUSE
    else yield* wait
  }
}

/** Reads up to the container's end, which gives undefined, or up to a pause or an element that has steps. */
function readWhile(place: JsonPlace, container: Container): Steps<unknown> | typeof PAUSE | undefined {
  for (;;) {
    if (place.skipSpace()) return PAUSE
    switch (container.awaited) {
      case 'first':
        if (place.take(container.close)) return undefined
        container.awaited = 'next'
        break
      case 'next':
        if (++container.count > container.most) throw tooManyKeys(container.field)
        container.awaited = 'value'
        if (container.close === CLOSE_OBJECT) readKey(place, container)
        if (place.isPauseDue()) return PAUSE // short members are 16 MiB together at most
        break
      case 'colon':
        place.expect(COLON)
        container.awaited = 'value'
        break
      case 'value': {
        container.awaited = 'comma'
        const steps = container.readValue(container)
        if (steps !== undefined) return steps
        break
      }
      case 'comma':
        if (place.take(container.close)) return undefined
        place.expect(COMMA)
        container.awaited = 'next'
    }
  }
}

function readKey(place: JsonPlace, object: Container): void {
  if (place.byte !== QUOTE) throw place.invalid()
  object.start = place.at
  object.key = readString(place, object.field)
  object.awaited = 'colon'
}

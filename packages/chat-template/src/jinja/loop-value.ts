import { unsupported } from '../refusals.js'
import { Callable, Loop, Undefined, type Value } from './values.js'

/** `loop` in the turn of a place. */
export function loopValue(all: readonly Value[], i: number): Loop {
  const loop = new Loop()
  const { values } = loop
  values.set('index', i + 1)
  values.set('index0', i)
  values.set('revindex', all.length - i)
  values.set('revindex0', all.length - i - 1)
  values.set('first', i === 0)
  values.set('last', i === all.length - 1)
  values.set('length', all.length)
  values.set('depth', 1)
  values.set('depth0', 0)
  values.set('previtem', i === 0 ? new Undefined('there is no previous item') : all[i - 1]!)
  values.set('nextitem', i === all.length - 1 ? new Undefined('there is no next item') : all[i + 1]!)
  for (const name of ['cycle', 'changed'])
    values.set(
      name,
      new Callable(name, () => {
        throw unsupported(`\`loop.${name}\``)
      }),
    )
  return loop
}

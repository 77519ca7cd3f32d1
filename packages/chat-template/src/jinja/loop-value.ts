import { unsupported } from '../refusals.js'
import { type Loop, Undefined, type Value } from './values.js'

/** `loop.name`. */
export function loopValue({ all, place }: Loop, name: string): Value {
  const none = (which: string) => new Undefined(`there is no ${which} item`)
  switch (name) {
    case 'index':
      return place + 1
    case 'index0':
      return place
    case 'revindex':
      return all.length - place
    case 'revindex0':
      return all.length - place - 1
    case 'first':
      return place === 0
    case 'last':
      return place === all.length - 1
    case 'length':
      return all.length
    case 'depth':
      return 1
    case 'depth0':
      return 0
    case 'previtem':
      return place === 0 ? none('previous') : all[place - 1]
    case 'nextitem':
      return place === all.length - 1 ? none('next') : all[place + 1]
    case 'cycle':
    case 'changed':
      throw unsupported(`\`loop.${name}\``)
    default:
      return new Undefined(`loop attribute '${name}'`)
  }
}

import { useEffect, useRef } from 'preact/hooks'

const KEYS: readonly (readonly [string, string])[] = [
  ['Tab', 'from part to part: each strip, grid and map is one stop'],
  ['← → ↑ ↓', 'within a strip, a grid or the map'],
  ['Home, End', 'the first and the last of a row; with Ctrl, of the grid'],
  ['PageUp, PageDown', 'several at once'],
  ['← →', 'in the guided walk: the step before and after; Escape leaves it'],
  ['?', 'this list'],
]

/** The keys of the page. `?` opens the list wherever nothing is being written. */
export function Keys() {
  const list = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key !== '?' || (target as HTMLElement).matches('textarea, input, select')) return
      const element = list.current as HTMLDetailsElement
      element.open = true
      element.querySelector('summary')?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <details class="more keys" ref={list}>
      <summary>Keys</summary>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

import { useEffect, useState } from 'preact/hooks'
import { counted } from '../draw/digits.js'
import { answer, recipe } from '../store.js'

/** One line that sums the recipe up once it has scrolled away, and leads back to it. */
export function Summary() {
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    const bar = document.querySelector('form.recipe')
    if (bar === null) return
    const observer = new IntersectionObserver(([{ isIntersecting }]) => setAway(!isIntersecting))
    observer.observe(bar)
    return () => observer.disconnect()
  }, [])
  const current = answer.value
  if (!isAway || current === undefined) return null
  const { batch, rows } = current
  const back = () => {
    const field = document.querySelector<HTMLElement>('form.recipe textarea, form.recipe .chip button')
    document.querySelector('form.recipe')?.scrollIntoView({ block: 'start' })
    field?.focus({ preventScroll: true })
  }
  return (
    <button type="button" class="summary" onClick={back}>
      <q>{recipe.value.text.slice(0, 120)}</q>
      <span>{[batch.windows, batch.length, rows.channels].map(counted).join(' × ')}</span>
      <span class="change">Change</span>
    </button>
  )
}

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** As high as the whole text would be. */
export function Sized({
  height,
  children,
}: {
  readonly height: number
  readonly children: ComponentChildren
}) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => element.current?.style.setProperty('--height', `${height}px`), [height])
  return (
    <div ref={element} class="sized" role="presentation">
      {children}
    </div>
  )
}

/** A line at its place. */
export function Line({ top, children }: { readonly top: number; readonly children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => element.current?.style.setProperty('--top', `${top}px`), [top])
  return (
    <div ref={element} class="line" role="presentation">
      {children}
    </div>
  )
}

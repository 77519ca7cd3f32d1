/** Text files are bundled as strings. */
declare module '*.txt' {
  const text: string
  export default text
}

export * from './position-embedding.js' // until the features import it from there

export * from './tokenize.js' // until the features import it from there

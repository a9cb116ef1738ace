// The server serves the library's module under this name, beside the modules of the page.
export { default } from 'uplot'

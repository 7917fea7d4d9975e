declare module 'nunjucks' {
  const nunjucks: {
    readonly Environment: new (
      loader: null,
      options: { readonly autoescape: boolean },
    ) => { readonly renderString: (template: string, model: object) => string };
  };
  export default nunjucks;
}

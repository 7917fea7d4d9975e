/** A variable of HAProxy's process. The supervisor sets it when it is asked to end, and the health check of a template fails from then on. */
export const LEAVING_VARIABLE = 'proc.hawser_leaving';

/** A variable of HAProxy's process. The supervisor sets it when it is asked to stop, and the template's health check fails from then on. */
export const LEAVING_VARIABLE = 'proc.hawser_leaving';

import PhotoPDF

extension ReportWords {
    static let spanish = """
        title: Firmas de {1}
        size: Tamaño
        bytes: {1} bytes
        signedFile: Lo que está firmado
        itsHash: Su SHA-256
        itsSize: Su tamaño
        signatures: Firmas
        timestamps: Sellos de tiempo
        checked: Comprobado
        judgedAsOf: Juzgado a fecha de
        chosenTime: {1}, una fecha elegida
        checkedBy: Comprobado por
        trustedRule: Confianza
        systemAuthorities: las autoridades del sistema
        onlySigner: Solo este firmante
        onlyField: Solo el campo
        leastLevel: Al menos el nivel
        leastQualification: Al menos
        changesRule: Cambios
        noChanges: no se acepta ninguno
        revocationLists: Listas de revocación
        policies: Políticas
        allPassed: Todo está en orden: sin cambios y de quien se nombra abajo.
        allChanged: Lo firmado está en orden, pero el documento se CAMBIÓ después: véase abajo.
        allDoubtful: No se puede decir con certeza que todo esté en orden.
        anyFailed: Al menos una firma no es válida: no confíe en ella.
        codeFailed: El código de integridad falta o es incorrecto: no confíe en el archivo.
        document: El documento
        integrityCode: Código de integridad
        unsigned: El archivo no está firmado.
        detailsInEnglish: Los detalles están en inglés.
        inOrder: en orden
        inOrderChanged: en orden, pero el documento se cambió después
        uncertain: no es seguro
        invalid: no es válida
        when: Cuándo
        signature: Firma
        timestamp: Sello de tiempo
        sinceThen: Desde entonces
        nothingChanged: nada ha cambiado
        why: Por qué
        remarks: Observaciones
        byLists: Según las listas de confianza europeas
        notChecked: Lo que no se comprobó y qué más se observó
        certificate: Certificado
        pages: Páginas
        signer: Quién
        issuer: Emitido por
        believed: {1}, de confianza
        notBelieved: {1}, no es de confianza
        itselfBelieved: {1} (no comprobado: se confía en este mismo certificado)
        revoked: Revocado
        revokedSince: desde {1}
        revokedAfter: desde {1}, después de firmarse
        revocationUnknown: no se sabe
        revocationNotNeeded: no hace falta preguntarlo, dice el emisor
        notRevoked: no
        byList: {1} (según la lista de {2} de {3})
        byAnswer: {1} (según una respuesta de {2} de {3})
        countsUntil: {1}; vale hasta {2}
        covers: Abarca
        wholeFile: todo el archivo
        earlierState: el archivo tal como era entonces (lo posterior está abajo)
        partOfFile: solo una parte del archivo
        carried: lo que lleva la propia firma
        unchanged: {1}: estos bytes no han cambiado
        notUnchanged: {1}: no sin cambios
        signedAt: Firmado el
        asClaimed: {1}, según el firmante
        existedAt: Existía el
        asProven: {1}, probado
        stampedBy: {1} por {2}
        unnamedAuthority: una autoridad sin nombre
        provesUntil: {1}, no prueba nada después de {2}
        provesNothing: {1}, no es de confianza: no prueba nada
        certifies: Certifica
        permitsNothing: el documento, no permite ningún cambio
        permitsForms: el documento, permite rellenar formularios y firmar
        permitsAnnotations: el documento, permite formularios, firmas y anotaciones
        locks: Bloquea
        allFields: todos los campos del formulario
        theseFields: los campos {1}
        allFieldsBut: todos los campos del formulario menos {1}
        method: Método
        level: Nivel
        qualified: cualificado
        notQualified: no cualificado
        unknownQualified: no se puede decir si es cualificado
        itsKey: Su clave
        inDevice: en un dispositivo cualificado
        notInDevice: no en un dispositivo cualificado
        unknownDevice: no se puede decir si está en un dispositivo cualificado
        service: Servicio
        serviceSince: {1}: {2}, {3} desde {4}
        list: Lista
        listNumber: {1} número {2} de {3}
        outOfDate: {1}, caducada
        forTime: Para la fecha
        limit: Límite
        subject: Titular
        serial: Número de serie
        valid: Validez
        fromTo: {1} a {2}
        notAsked: No se preguntó a las autoridades por la red si los certificados fueron \
        revocados: solo se sabe lo que trae el propio archivo y lo que se dio.
        noLists: No se consultó ninguna lista de confianza: aquí no se dice si una firma es \
        cualificada.
        notTruth: Si el contenido es verdadero y si el firmante podía firmarlo.
        more: y {1} más
        claimedMark: declarado
        stampedMark: sellado
        provenMark: probado
        certificateValid: certificado válido
        unknownSigner: firmante desconocido
        legend: Barras grises: validez de los certificados. Círculo: lo que prueba un sello de \
        tiempo de confianza. Rombo: lo que dice el firmante. Línea discontinua: cuándo se \
        comprobó.
        page: Página {1}
        pageWhenSigned: Página {1} al firmarse ({2})
        pageNow: Página {1} ahora
        noPageThen: no había tal página
        noPageNow: ya no hay tal página
        drawnBy: Dibujado por {1}: otros programas pueden mostrar las páginas de otra manera. \
        Los marcos señalan las firmas.
        noPictures: Ninguna página muestra una firma, y ninguna se ve distinta que al firmarse.
        encryptedPages: No se muestran las páginas: el documento está cifrado y el programa \
        que dibuja las páginas no recibe ninguna contraseña.
        notDrawn: No se muestran todas las páginas: {1}
        notCompared: Páginas no comparadas con lo firmado: {1}
        notMarked: Firmas no buscadas en las páginas: {1}
        """

    static let french = """
        title: Signatures de {1}
        size: Taille
        bytes: {1} octets
        signedFile: Ce qui est signé
        itsHash: Son SHA-256
        itsSize: Sa taille
        signatures: Signatures
        timestamps: Horodatages
        checked: Vérifié
        judgedAsOf: Jugé à la date du
        chosenTime: {1}, une date choisie
        checkedBy: Vérifié par
        trustedRule: Confiance
        systemAuthorities: les autorités du système
        onlySigner: Seulement ce signataire
        onlyField: Seulement le champ
        leastLevel: Au moins le niveau
        leastQualification: Au moins
        changesRule: Modifications
        noChanges: aucune n'est acceptée
        revocationLists: Listes de révocation
        policies: Politiques
        allPassed: Tout est en ordre : inchangé, et de qui est nommé ci-dessous.
        allChanged: Ce qui a été signé est en ordre, mais le document a été MODIFIÉ depuis : \
        voir ci-dessous.
        allDoubtful: On ne peut pas dire avec certitude que tout est en ordre.
        anyFailed: Au moins une signature n'est pas valide : ne vous y fiez pas.
        codeFailed: Le code d'intégrité manque ou est faux : ne vous fiez pas au fichier.
        document: Le document
        integrityCode: Code d'intégrité
        unsigned: Le fichier n'est pas signé.
        detailsInEnglish: Les détails sont donnés en anglais.
        inOrder: en ordre
        inOrderChanged: en ordre, mais le document a été modifié depuis
        uncertain: incertain
        invalid: non valide
        when: Quand
        signature: Signature
        timestamp: Horodatage
        sinceThen: Depuis
        nothingChanged: rien n'a changé
        why: Pourquoi
        remarks: Remarques
        byLists: Selon les listes de confiance européennes
        notChecked: Ce qui n'a pas été vérifié, et ce qui a encore été remarqué
        certificate: Certificat
        pages: Pages
        signer: Qui
        issuer: Délivré par
        believed: {1}, de confiance
        notBelieved: {1}, pas de confiance
        itselfBelieved: {1} (non vérifié : la confiance va à ce certificat même)
        revoked: Révoqué
        revokedSince: depuis le {1}
        revokedAfter: depuis le {1}, après la signature
        revocationUnknown: inconnu
        revocationNotNeeded: il n'y a pas à le demander, dit l'émetteur
        notRevoked: non
        byList: {1} (selon la liste de {2} du {3})
        byAnswer: {1} (selon une réponse de {2} du {3})
        countsUntil: {1} ; elle vaut jusqu'au {2}
        covers: Couvre
        wholeFile: tout le fichier
        earlierState: le fichier tel qu'il était alors (la suite est ci-dessous)
        partOfFile: seulement une partie du fichier
        carried: ce que la signature porte elle-même
        unchanged: {1} : ces octets sont inchangés
        notUnchanged: {1} : pas inchangé
        signedAt: Signé le
        asClaimed: {1}, selon le signataire
        existedAt: Existait le
        asProven: {1}, prouvé
        stampedBy: {1} par {2}
        unnamedAuthority: une autorité sans nom
        provesUntil: {1}, ne prouve rien après le {2}
        provesNothing: {1}, pas de confiance : ne prouve rien
        certifies: Certifie
        permitsNothing: le document, ne permet aucune modification
        permitsForms: le document, permet de remplir des formulaires et de signer
        permitsAnnotations: le document, permet formulaires, signatures et annotations
        locks: Verrouille
        allFields: tous les champs du formulaire
        theseFields: les champs {1}
        allFieldsBut: tous les champs du formulaire sauf {1}
        method: Méthode
        level: Niveau
        qualified: qualifié
        notQualified: non qualifié
        unknownQualified: on ne peut pas dire s'il est qualifié
        itsKey: Sa clé
        inDevice: dans un dispositif qualifié
        notInDevice: pas dans un dispositif qualifié
        unknownDevice: on ne peut pas dire si elle est dans un dispositif qualifié
        service: Service
        serviceSince: {1} : {2}, {3} depuis le {4}
        list: Liste
        listNumber: {1} numéro {2} du {3}
        outOfDate: {1}, périmée
        forTime: Pour la date
        limit: Limite
        subject: Titulaire
        serial: Numéro de série
        valid: Validité
        fromTo: {1} au {2}
        notAsked: Les autorités n'ont pas été interrogées par le réseau sur la révocation des \
        certificats : on ne sait que ce qu'apporte le fichier lui-même et ce qui a été donné.
        noLists: Aucune liste de confiance n'a été consultée : si une signature est qualifiée \
        n'est pas dit ici.
        notTruth: Si le contenu est vrai, et si le signataire avait le droit de le signer.
        more: et {1} de plus
        claimedMark: déclaré
        stampedMark: horodaté
        provenMark: prouvé
        certificateValid: certificat valide
        unknownSigner: signataire inconnu
        legend: Barres grises : validité des certificats. Cercle : ce que prouve un horodatage \
        de confiance. Losange : ce que dit le signataire. Pointillés : date de la vérification.
        page: Page {1}
        pageWhenSigned: Page {1} lors de la signature ({2})
        pageNow: Page {1} maintenant
        noPageThen: cette page n'existait pas
        noPageNow: cette page n'existe plus
        drawnBy: Dessiné par {1} : d'autres programmes peuvent montrer les pages autrement. \
        Les cadres marquent les signatures.
        noPictures: Aucune page ne montre de signature, et aucune n'a un autre aspect que lors \
        de la signature.
        encryptedPages: Les pages ne sont pas montrées : le document est chiffré, et le \
        programme qui dessine les pages ne reçoit pas de mot de passe.
        notDrawn: Toutes les pages ne sont pas montrées : {1}
        notCompared: Pages non comparées avec ce qui a été signé : {1}
        notMarked: Signatures non cherchées sur les pages : {1}
        """

    static let italian = """
        title: Firme di {1}
        size: Dimensione
        bytes: {1} byte
        signedFile: Ciò che è firmato
        itsHash: Il suo SHA-256
        itsSize: La sua dimensione
        signatures: Firme
        timestamps: Marche temporali
        checked: Verificato
        judgedAsOf: Giudicato alla data del
        chosenTime: {1}, una data scelta
        checkedBy: Verificato da
        trustedRule: Fiducia
        systemAuthorities: le autorità del sistema
        onlySigner: Solo questo firmatario
        onlyField: Solo il campo
        leastLevel: Almeno il livello
        leastQualification: Almeno
        changesRule: Modifiche
        noChanges: non se ne accettano
        revocationLists: Liste di revoca
        policies: Politiche
        allPassed: Tutto è in ordine: invariato e di chi è indicato sotto.
        allChanged: Ciò che è stato firmato è in ordine, ma il documento è stato poi \
        MODIFICATO: vedi sotto.
        allDoubtful: Non si può dire con certezza che tutto sia in ordine.
        anyFailed: Almeno una firma non è valida: non farvi affidamento.
        codeFailed: Il codice di integrità manca o è sbagliato: non fidarsi del file.
        document: Il documento
        integrityCode: Codice di integrità
        unsigned: Il file non è firmato.
        detailsInEnglish: I dettagli sono in inglese.
        inOrder: in ordine
        inOrderChanged: in ordine, ma il documento è stato poi modificato
        uncertain: non certo
        invalid: non valida
        when: Quando
        signature: Firma
        timestamp: Marca temporale
        sinceThen: Da allora
        nothingChanged: nulla è cambiato
        why: Perché
        remarks: Osservazioni
        byLists: Secondo gli elenchi di fiducia europei
        notChecked: Che cosa non è stato verificato e che altro è stato notato
        certificate: Certificato
        pages: Pagine
        signer: Chi
        issuer: Emesso da
        believed: {1}, fidato
        notBelieved: {1}, non fidato
        itselfBelieved: {1} (non verificato: ci si fida proprio di questo certificato)
        revoked: Revocato
        revokedSince: dal {1}
        revokedAfter: dal {1}, dopo la firma
        revocationUnknown: non noto
        revocationNotNeeded: non occorre chiederlo, dice l'emittente
        notRevoked: no
        byList: {1} (secondo la lista di {2} del {3})
        byAnswer: {1} (secondo una risposta di {2} del {3})
        countsUntil: {1}; vale fino al {2}
        covers: Copre
        wholeFile: l'intero file
        earlierState: il file com'era allora (il seguito è sotto)
        partOfFile: solo una parte del file
        carried: ciò che la firma stessa contiene
        unchanged: {1}: questi byte sono invariati
        notUnchanged: {1}: non invariato
        signedAt: Firmato il
        asClaimed: {1}, come dice il firmatario
        existedAt: Esisteva il
        asProven: {1}, provato
        stampedBy: {1} da {2}
        unnamedAuthority: un'autorità senza nome
        provesUntil: {1}, non prova nulla dopo il {2}
        provesNothing: {1}, non fidata: non prova nulla
        certifies: Certifica
        permitsNothing: il documento, non permette modifiche
        permitsForms: il documento, permette di compilare moduli e firmare
        permitsAnnotations: il documento, permette moduli, firme e annotazioni
        locks: Blocca
        allFields: tutti i campi del modulo
        theseFields: i campi {1}
        allFieldsBut: tutti i campi del modulo tranne {1}
        method: Metodo
        level: Livello
        qualified: qualificato
        notQualified: non qualificato
        unknownQualified: non si può dire se sia qualificato
        itsKey: La sua chiave
        inDevice: in un dispositivo qualificato
        notInDevice: non in un dispositivo qualificato
        unknownDevice: non si può dire se sia in un dispositivo qualificato
        service: Servizio
        serviceSince: {1}: {2}, {3} dal {4}
        list: Elenco
        listNumber: {1} numero {2} del {3}
        outOfDate: {1}, scaduto
        forTime: Per la data
        limit: Limite
        subject: Titolare
        serial: Numero di serie
        valid: Validità
        fromTo: {1} - {2}
        notAsked: Non è stato chiesto in rete alle autorità se i certificati siano stati \
        revocati: si sa solo ciò che porta il file stesso e ciò che è stato dato.
        noLists: Non è stato consultato alcun elenco di fiducia: se una firma sia qualificata \
        non è detto qui.
        notTruth: Se il contenuto sia vero e se il firmatario potesse firmarlo.
        more: e altri {1}
        claimedMark: dichiarato
        stampedMark: marcato
        provenMark: provato
        certificateValid: certificato valido
        unknownSigner: firmatario sconosciuto
        legend: Barre grigie: validità dei certificati. Cerchio: ciò che prova una marca \
        temporale fidata. Rombo: ciò che dice il firmatario. Tratteggio: quando si è verificato.
        page: Pagina {1}
        pageWhenSigned: Pagina {1} alla firma ({2})
        pageNow: Pagina {1} ora
        noPageThen: non c'era questa pagina
        noPageNow: questa pagina non c'è più
        drawnBy: Disegnato da {1}: altri programmi possono mostrare le pagine in altro modo. I \
        riquadri segnano le firme.
        noPictures: Nessuna pagina mostra una firma, e nessuna appare diversa da come era alla \
        firma.
        encryptedPages: Le pagine non sono mostrate: il documento è cifrato e il programma che \
        disegna le pagine non riceve alcuna password.
        notDrawn: Non tutte le pagine sono mostrate: {1}
        notCompared: Pagine non confrontate con ciò che è stato firmato: {1}
        notMarked: Firme non cercate nelle pagine: {1}
        """
}
